"""The demo: fourteen days of tennis, a naive Bayes model, the derivation of one answer, and a model file.

Run it as `python examples/play_tennis.py [folder]`; `make demo` does, with the folder `demo`.
"""

import sys
from pathlib import Path

import pyarrow as pa

import novacula as nv
from novacula.bayes import NaiveBayes


def main(folder: Path) -> None:
    """Print the table, the model and the derivation, and leave the model in a folder."""
    table = nv.datasets.load("play_tennis")
    print("The table\n=========\n")
    print(table.drop("Day").to_pandas().to_string(index=False))
    print(f"\n{table.schema}\n")

    model = NaiveBayes(m=0).fit(table)
    print(f"{model.work()}\n")

    day = pa.table({"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]})
    print(model.work(day))

    folder.mkdir(parents=True, exist_ok=True)
    path, page = folder / "play_tennis.nova", folder / "play_tennis.html"
    model.save(path)
    page.write_text(f"<!doctype html><meta charset='utf-8'><title>PlayTennis</title>{model.work(day).to_html()}")
    answer = nv.load(path).predict(day)[0]
    print(f"\nOn a sunny, cool, humid, windy day the answer is {answer}: P(No) = {model.predict_proba(day)[0, 0]:.6f}.")
    print(f"The model is in {path}, and loads with novacula.load; the derivation is in {page}.")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
