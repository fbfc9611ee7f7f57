"""A hospital ward with made-up patients, its job and its policy."""

JOB = """version = 1
input.path = "patients.csv"
[[attributes]]
name = "id"
role = "identifying"
type = "string"
[[attributes]]
name = "name"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [10, 20], min = 0, max = 100 } }
[[attributes]]
name = "sex"
role = "quasi-identifier"
type = "string"
[[attributes]]
name = "zip"
role = "quasi-identifier"
type = "string"
hierarchy = { redact = { from = "right", length = 5, alphabet = 10 } }
[[attributes]]
name = "diagnosis"
role = "sensitive"
type = "string"
[[attributes]]
name = "salary"
role = "insensitive"
type = "integer"
[[attributes]]
name = "admitted"
role = "insensitive"
type = "date"
[privacy]
person = "id"
models = [{ model = "k-anonymity", k = 5 }]
"""
POLICY = """version = 1
name = "ward-7"
[[tables]]
name = "patients"
job = "patients.toml"
person = ["id"]
contribution = 1
[tables.domain]
salary = { min = 0, max = 20000 }
diagnosis = { values = ["flu", "gout", "hiv"] }
sex = { values = ["f", "m"] }
[[recipients]]
role = "research"
purposes = ["statistics", "gait-study"]
trust = "untrusted"
group = "university"
budget = { epsilon = "2", delta = "1e-6" }
[[recipients]]
role = "students"
purposes = ["statistics"]
trust = "untrusted"
group = "university"
budget = { epsilon = "2", delta = "1e-6" }
[[rules]]
id = "rows"
table = "patients"
aggregate = ["count"]
noise = { epsilon = "0.5", delta = "1e-7" }
[[rules]]
id = "age"
table = "patients"
columns = ["age"]
filter = 1
group = 1
aggregate = ["count"]
[[rules]]
id = "zip"
table = "patients"
columns = ["zip"]
filter = 1
group = 1
aggregate = ["count"]
[[rules]]
id = "sex"
table = "patients"
columns = ["sex"]
filter = true
group = true
aggregate = ["count"]
[[rules]]
id = "diagnosis"
for = { purpose = "statistics" }
table = "patients"
columns = ["diagnosis"]
filter = false
group = true
aggregate = ["count"]
noise = { epsilon = "0.25" }
[[rules]]
id = "salary"
table = "patients"
columns = ["salary"]
aggregate = ["sum", "avg"]
[[rules]]
id = "no-names"
table = "patients"
columns = ["name", "id"]
deny = true
[[demands]]
table = "patients"
min_people = 10
"""
HEADER = "id,name,age,sex,zip,diagnosis,salary,admitted\n"


def person(i, **other):
    cells = dict(id=f"p{i}", name=f"CANARY{i}", age=20 + i % 60, sex="fm"[i // 2 % 2], zip=f"{10_000 + i % 7 * 100:05}", diagnosis=["flu", "gout", "hiv"][i % 3], salary=1_000 + i % 50 * 10, admitted=f"2026-{1 + i % 12:02}-01")
    return ",".join(str(cell) for cell in (cells | other).values()) + "\n"


def people(count=1_000, more=""):
    return HEADER + "".join(person(i) for i in range(count)) + more
