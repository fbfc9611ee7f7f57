// A policy for the demo: noisy counts for research, exact ones for a board.

export const policy = `version = 1
name = "ward"
tables = [{ name = "patients", job = "paravent.toml", person = "patient_id" }]
recipients = [
  { role = "research", purposes = ["statistics"], budget = { epsilon = "1", delta = "1e-6" } },
  { role = "board", purposes = ["planning", "audit"], trust = "trusted" },
]
[[rules]]
id = "rows"
table = "patients"
aggregate = ["count"]
[[rules]]
id = "sex"
table = "patients"
columns = ["sex"]
filter = true
group = true
aggregate = ["count"]
[[rules]]
id = "noise"
for = { role = "research" }
table = "patients"
aggregate = ["count"]
noise = { epsilon = "0.5", delta = "1e-8" }
[[demands]]
table = "patients"
min_people = 5
`;
