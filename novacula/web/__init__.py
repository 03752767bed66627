"""A model as a service on the local network: rows in over HTTP, answers out.

refusal.py    a request that is not answered: its status, and one sentence
asked.py      bodies of requests as rows, checked against the columns of the model
answers.py    rows as answers: those of many requests together
queue.py      requests that wait for each other's batch to end are answered in one
description.py  columns, an example, OpenAPI
page.py       the page at /
service.py    the application
listening.py  the socket and the server
"""
