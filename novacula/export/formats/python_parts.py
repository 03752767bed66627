"""The operations of a program as Python functions, in the order in which a file has them."""

READING = '''\
def _read(row, column):
    """The number of a cell, the code of its category, or NaN where there is none."""
    name, kind, codes = column
    value = row.get(name)
    if kind == "category":
        return float(codes.get(value.strip() if isinstance(value, str) else value, math.nan))
    if value is None or (isinstance(value, str) and value.strip().lower() in ("", "?", "na", "n/a", "nan", "null")):
        return math.nan
    try:
        return _seconds(value, codes) if kind == "time" else _number(value, codes)
    except ValueError:
        raise ValueError(f"{value!r} in column {name!r} is not a {kind} as the model knows them: {HOW[kind]}") from None


HOW = {
    "number": "give a number, or text as Python or the rows of the fit have it",
    "time": "give a date, or text such as 2024-01-31",
}


def _number(value, pattern):
    """A number, or its text: as the rows of the fit had it, or as Python has it."""
    found = re.match(pattern, value.strip()) if pattern and isinstance(value, str) else None
    if found is None or not (found["whole"] or found["fraction"]):
        return float(value)
    part = {name: text or "" for name, text in found.groupdict().items()}
    number = float("0" + re.sub("[^0-9]", "", part["whole"]) + "." + part["fraction"] + (part["exponent"] or "e0"))
    return -number if part["open"] or {part["before"], part["after"]} & {"-", "−"} else number'''

SECONDS = '''\
def _seconds(value, pattern):
    """Seconds since the beginning of 1970, UTC, of a date or time, or of its text."""
    from datetime import date, datetime, timezone

    if isinstance(value, (int, float)):
        return float(value)
    moment = value
    if isinstance(value, str):
        found = re.match(pattern, value.strip())
        moment = datetime.fromisoformat(value) if found is None else _moment(found)
    if not isinstance(moment, datetime) and isinstance(moment, date):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.timestamp()


def _moment(found):
    """The time of the parts of a text."""
    from datetime import datetime, timedelta, timezone

    part = found.groupdict()
    year, hour, zone = int(part["year"]), int(part["hour"] or 0), part["zone"] or "Z"
    year += 0 if len(part["year"]) > 2 else 2000 if year < 69 else 1900
    hour = hour % 12 + 12 * (part["half"].lower() == "pm") if part["half"] else hour
    ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) if zone[0] in "+-" else timedelta(0)
    second = float((part["second"] or "0").replace(",", "."))
    clock = timedelta(hours=hour, minutes=int(part["minute"] or 0), seconds=second)
    day = datetime(year, int(part["month"]), int(part["day"]), tzinfo=timezone.utc)
    return day + clock - (-ahead if zone[0] == "-" else ahead)'''

COUNT_WORDS = '''\
def _count_words(row, column, words):
    """How often each word is in a text, in small letters."""
    text = row.get(column[0])
    found = re.findall(r"(?u)\\b\\w\\w+\\b", text.lower()) if isinstance(text, str) else []
    return [float(found.count(word)) for word in words]'''

LOOKUP = '''\
def _lookup(code, table):
    """The row of a table for a code; the last for a missing one."""
    return table[int(code)] if code == code else table[-1]'''

COMBINE = '''\
def _combine(operation, left, right):
    """Entry by entry; one number goes with all."""
    n = max(len(left), len(right))
    return [operation(a, b) for a, b in zip(_spread(left, n), _spread(right, n))]


def _spread(vector, n):
    return vector * n if len(vector) == 1 else vector'''

CHOOSE = '''\
def _choose(condition, yes, no):
    """Entry by entry the first where the condition is 1, else the second."""
    n = max(len(condition), len(yes), len(no))
    wide = [vector * n if len(vector) == 1 else vector for vector in (condition, yes, no)]
    return [b if a == 1.0 else c for a, b, c in zip(*wide)]'''

REDUCE = """\
def _sum(vector):
    total = 0.0
    for x in vector:
        total += x
    return total


def _max(vector):
    return max(vector, key=lambda x: x if x == x else math.inf)"""

LARGEST = '''\
def _largest(vector, slack):
    """The place of the first entry that is at least `slack` times the largest."""
    limit = max(vector) * slack
    return next((float(i) for i, x in enumerate(vector) if x >= limit), math.nan)'''

LINEAR = '''\
def _linear(x, weights, bias):
    """b + xW."""
    return [sum(map(float.__mul__, x, own), 0.0) + b for own, b in zip(weights, bias)]'''

TREES = '''\
def _trees(x, trees, start):
    """A number for each answer, to which every tree adds its leaf, or its leaves by their shares."""
    answer = list(start)
    for nodes, output in trees:
        waiting = [(0, 1.0)]
        while waiting:
            place, share = waiting.pop()
            node = nodes[place]
            if isinstance(node, list):
                for k, value in enumerate(node):
                    answer[output + k] += share * value
                continue
            entry, asked, branches, missing = node
            value = x[entry]
            if value != value:
                waiting.extend((branch, share * part) for branch, part in reversed(list(missing.items())))
            elif isinstance(asked, dict):
                waiting.append((asked[int(value)], share))
            else:
                waiting.append((branches[0] if value <= asked else branches[1], share))
    return answer'''

RULES = '''\
def _rule(x, rules):
    """The number of the first rule that holds; a missing value meets no demand."""
    for number, demands in enumerate(rules):
        if all(low < x[i] <= high if codes is None else x[i] in codes for i, low, high, codes in demands):
            return float(number)
    return float(len(rules))'''

DISTANCES = '''\
def _distances(x, points, power, codes_from):
    """How far each point is: sums of powers of gaps, or the largest gap."""
    found = []
    for point in points:
        gaps = [abs(a - b) for a, b in zip(x, point)]
        if codes_from is not None:
            gaps[codes_from:] = [0.0 if a == b else 1.0 for a, b in zip(x[codes_from:], point[codes_from:])]
            gaps = [gap if gap == gap else 1.0 for gap in gaps]
        total = 0.0
        for gap in gaps:
            if power == math.inf:
                total = gap if gap > total else total
            else:
                total += gap * gap if power == 2.0 else gap**power
        found.append(total)
    return found'''

NEAREST = '''\
def _nearest(powers, weight, values, k, by_distance, power):
    """Voices of the nearest points: sums by value, their total, and how far those are who take places."""
    taken, before = [], 0.0
    for i in sorted(range(len(powers)), key=lambda i: (powers[i], i)):
        if before >= k:
            break
        root = math.sqrt(powers[i]) if power == 2.0 else powers[i] ** (1.0 / power) if power < math.inf else powers[i]
        taken.append((min(k - before, weight[i]), root, values[i]))
        before += weight[i]
    near = any(distance == 0.0 for _, distance, _ in taken)
    votes, far, total = [0.0] * len(values[0]), [0.0] * len(values[0]), 0.0
    for places, distance, own in taken:
        voice = places
        if by_distance:
            voice = (places if distance == 0.0 else 0.0) if near else places / distance
        total += voice
        for t, value in enumerate(own):
            votes[t] += voice * value
            far[t] += places * distance * value
    return votes + [total] + far'''

EXP = """\
def _exp(x):
    return math.inf if x > 709.0 else math.exp(x)"""

PARTS = {
    "CountWords": COUNT_WORDS,
    "Lookup": LOOKUP,
    "Combine": COMBINE,
    "Choose": CHOOSE,
    "Reduce": REDUCE,
    "Largest": LARGEST,
    "WeightedSums": LINEAR,
    "Trees": TREES,
    "FirstRule": RULES,
    "Distances": DISTANCES,
    "Nearest": NEAREST,
    "exp": EXP,
    "log": "_log = math.log",
    "sqrt": "_sqrt = math.sqrt",
    "tanh": "_tanh = math.tanh",
    "sin": "_sin = math.sin",
    "cos": "_cos = math.cos",
    "abs": "_abs = abs",
    "floor": "def _floor(x):\n    return x // 1.0",
    "missing": "def _missing(x):\n    return 1.0 if x != x else 0.0",
}
"""By the operation, or the function of a `Map`."""
