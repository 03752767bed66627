"""The command line: parse, call, print."""


def main() -> None:
    """Run the command line; what is heavy loads with the command that needs it."""
    from novacula.cli.app import run

    run()
