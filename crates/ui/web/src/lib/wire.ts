// Made from crates/ui/src/wire by `PARAVENT_BLESS=1 cargo test --test page_server types`; do not edit.

export type SessionView = { 
/**
 * Version of the program.
 */
version: string, 
/**
 * Name of the project folder.
 */
project: string, 
/**
 * Name of the job file.
 */
job_file: string, 
/**
 * Whether it is there.
 */
has_job: boolean, 
/**
 * The table that is looked at, if there is one.
 */
data: DataView | null, 
/**
 * Name of the table that the job asks for and that is not there.
 */
data_missing: string | null, 
/**
 * The public key of the project's signing key.
 */
key: string | null, 
/**
 * Whether the job's release is on disk.
 */
has_release: boolean, 
/**
 * Largest table that can be dropped, in bytes.
 */
data_limit: number, 
/**
 * Whether the program can answer questions under a policy: it was built with SQL.
 */
sql: boolean, };

export type DataView = { 
/**
 * Name of the file.
 */
name: string, 
/**
 * Its bytes.
 */
bytes: number, 
/**
 * Whether it was dropped, and will be gone when the program ends.
 */
dropped: boolean, };

export type JobView = { 
/**
 * The file, byte by byte.
 */
text: string, 
/**
 * Its digest; who changes the job says which one it was.
 */
digest: string, 
/**
 * Its keys as JSON; `null` where the text is no TOML.
 */
keys: any, 
/**
 * What is wrong with it.
 */
problems: Array<ProblemView>, 
/**
 * Whether there is a step back.
 */
can_undo: boolean, 
/**
 * Whether there is a step forward.
 */
can_redo: boolean, };

export type PutJob = { 
/**
 * The whole text.
 */
text: string, 
/**
 * The digest of the text that was changed.
 */
digest: string | null, };

export type PatchJob = { 
/**
 * In this order.
 */
changes: Array<Change>, 
/**
 * The digest of the text that is changed.
 */
digest: string | null, };

export type Change = { 
/**
 * The way to the key. The number after the last of a list adds to it.
 */
path: Array<Step>, 
/**
 * What it says from now on; `null` removes it.
 */
value: any, };

export type Step = number | string;

export type ModelView = { 
/**
 * Its name in the job file.
 */
name: string, 
/**
 * Its name in a sentence.
 */
title: string, 
/**
 * What every released class keeps.
 */
statement: string, 
/**
 * What it is good for, and what it leaves open.
 */
meaning: string, 
/**
 * Where it comes from.
 */
source: string, 
/**
 * Its keys beside `model`.
 */
keys: Array<ModelKey>, };

export type MetricView = { 
/**
 * Its name in the job file.
 */
name: string, 
/**
 * Its name in a sentence.
 */
title: string, 
/**
 * What it counts.
 */
meaning: string, };

export type ModelKey = { 
/**
 * How it is written.
 */
name: string, 
/**
 * What it says, with its range.
 */
says: string, 
/**
 * A value that would be right, as TOML.
 */
example: string, };

export type RunRequest = { "kind": "propose", 
/**
 * Smallest class to ask for.
 */
k: number, } | { "kind": "columns" } | { "kind": "preview" } | { "kind": "hierarchy", 
/**
 * The column.
 */
column: string, 
/**
 * Whether values that few rows have may be shown.
 */
values: boolean, } | { "kind": "solve" } | { "kind": "explore" } | { "kind": "node", 
/**
 * The level of every quasi-identifier, in job order.
 */
levels: Array<number>, } | { "kind": "compare", 
/**
 * The transformation; the best one if there is none.
 */
levels: Array<number> | null, 
/**
 * The column.
 */
column: string, 
/**
 * A second one, to count pairs of values.
 */
other: string | null, } | { "kind": "utility", 
/**
 * A column to predict from the others; the first sensitive one if there is none.
 */
target: string | null, } | { "kind": "risk-of-table" } | { "kind": "risk-of-release" } | { "kind": "attack" } | { "kind": "release", 
/**
 * The transformation; the best one if there is none.
 */
levels: Array<number> | null, 
/**
 * Whether a release that is there may be replaced.
 */
replace: boolean, } | { "kind": "verify" } | { "kind": "policy" } | { "kind": "ask", 
/**
 * Who asks.
 */
role: string, 
/**
 * What for.
 */
purpose: string, 
/**
 * The question, in SQL.
 */
statement: string, } | { "kind": "explain", 
/**
 * Who would ask.
 */
role: string, 
/**
 * What for.
 */
purpose: string, 
/**
 * The question, in SQL.
 */
statement: string, } | { "kind": "joint", 
/**
 * The party that looks; that of the certificate in the folder if there is none.
 */
me: string | null, } | { "kind": "register" };

export type Started = { 
/**
 * Its number.
 */
id: number, };

export type RunState = "running" | "done" | "failed";

export type ProgressView = { 
/**
 * What it is doing.
 */
phase: string, 
/**
 * Rows read, or transformations decided.
 */
done: number, 
/**
 * How many there are, where that is known.
 */
total: number | null, 
/**
 * By how much of its loss, in percent, the best solution so far can still be beaten.
 */
gap: number | null, };

export type RunView = { 
/**
 * Its number.
 */
id: number, 
/**
 * How it is with it.
 */
state: RunState, 
/**
 * How far it has come.
 */
progress: ProgressView, 
/**
 * Its result, once it has one.
 */
result: any, 
/**
 * Why it has none.
 */
fault: FaultView | null, };

export type RunEvent = { 
/**
 * The run as it is now.
 */
run: RunView, 
/**
 * Points that were found since the line before.
 */
points: Array<PointView>, };

export type FaultKind = "request" | "conflict" | "configuration" | "infeasible" | "refused" | "input-output" | "stopped" | "internal";

export type FaultView = { 
/**
 * What kind of thing.
 */
kind: FaultKind, 
/**
 * In words.
 */
message: string, 
/**
 * What to do.
 */
advice: string | null, 
/**
 * Where the job is at fault, each with its key.
 */
problems: Array<ProblemView>, 
/**
 * Single changes of the job that would each work.
 */
relaxations: Array<RelaxationView>, 
/**
 * Whether all transformations were looked at.
 */
complete: boolean | null, 
/**
 * The rules of the policy that say so.
 */
rules: Array<string>, };

export type ProblemView = { 
/**
 * Name of the file.
 */
file: string, 
/**
 * Line, from 1.
 */
line: number | null, 
/**
 * Key, spelled like `privacy.models[1].l`.
 */
key: string | null, 
/**
 * What is wrong.
 */
message: string, 
/**
 * What to write instead.
 */
advice: string | null, };

export type RelaxationView = { 
/**
 * The key.
 */
key: string, 
/**
 * What it says now.
 */
from: string, 
/**
 * What to write instead, as TOML.
 */
to: string, 
/**
 * The same in words.
 */
advice: string, };

export type ProposalView = { 
/**
 * What the user should know.
 */
notes: Array<string>, };

export type Bar = { 
/**
 * The label; `null` is the missing value.
 */
label: string | null, 
/**
 * Rows.
 */
rows: number, };

export type ColumnsView = { 
/**
 * Rows of the table.
 */
rows: number, 
/**
 * In the table's order.
 */
columns: Array<ColumnView>, };

export type ColumnView = { 
/**
 * Its name.
 */
name: string, 
/**
 * What its cells look like.
 */
data_type: string, 
/**
 * The role that is proposed for it.
 */
proposed_role: string, 
/**
 * Why.
 */
reason: string, 
/**
 * How it could be generalized, in words.
 */
proposed_hierarchy: string | null, 
/**
 * Different values, or the least there are.
 */
distinct: number, 
/**
 * Whether there are more than could be kept.
 */
distinct_is_bound: boolean, 
/**
 * Cells without a value.
 */
missing: number, 
/**
 * Values of at least five rows, the most frequent first; or intervals, in order.
 */
bars: Array<Bar>, 
/**
 * Whether the bars are intervals of numbers.
 */
numeric: boolean, 
/**
 * Rows of values that are not shown.
 */
other_rows: number, };

export type PreviewView = { 
/**
 * Names of the columns.
 */
columns: Array<string>, 
/**
 * Cells.
 */
rows: Array<Array<string | null>>, };

export type HierarchyView = { 
/**
 * The column.
 */
column: string, 
/**
 * From level 0 up.
 */
levels: Array<HierarchyLevel>, 
/**
 * The top and what is below it.
 */
tree: Array<TreeNode>, 
/**
 * Whether values of few rows were left out.
 */
hidden: boolean, };

export type HierarchyLevel = { 
/**
 * Level, 0 being the values themselves.
 */
level: number, 
/**
 * Groups of values.
 */
groups: number, 
/**
 * Rows of the smallest group.
 */
fewest_rows: number, 
/**
 * Rows of the largest group.
 */
most_rows: number, 
/**
 * Groups with fewer rows than the promised class size.
 */
small_groups: number, };

export type TreeNode = { 
/**
 * The label; `null` is the missing value.
 */
label: string | null, 
/**
 * Its level.
 */
level: number, 
/**
 * Rows that show it on that level.
 */
rows: number, 
/**
 * What is below it.
 */
children: Array<TreeNode>, 
/**
 * Labels below it that are not shown, because few rows have them or there are too many.
 */
more: number, };

export type LevelView = { 
/**
 * The column.
 */
column: string, 
/**
 * Its level.
 */
level: number, 
/**
 * The highest one.
 */
highest: number, };

export type PromiseView = { 
/**
 * Name of the model.
 */
model: string, 
/**
 * What is asked for.
 */
required: Record<string, any>, 
/**
 * What the worst released class achieves.
 */
achieved: Record<string, any>, 
/**
 * Rows in classes that break it, before any row is left out.
 */
failing_rows: number, 
/**
 * Classes that break it.
 */
failing_classes: number, };

export type LossView = { 
/**
 * Name of the metric.
 */
metric: string, 
/**
 * Its value.
 */
value: number, };

export type NodeView = { 
/**
 * By quasi-identifier, in job order.
 */
levels: Array<LevelView>, 
/**
 * Whether all promises hold within the suppression limit.
 */
holds: boolean, 
/**
 * The loss by the job's metric.
 */
loss: number, 
/**
 * All metrics.
 */
losses: Array<LossView>, 
/**
 * Rows of the table.
 */
rows: number, 
/**
 * Rows that are left out.
 */
suppressed_rows: number, 
/**
 * Rows, or people, that may be left out.
 */
suppression_limit: number, 
/**
 * Where people are counted: those who lose a row.
 */
people_losing: number | null, 
/**
 * Classes that are released.
 */
classes: number, 
/**
 * The smallest of them.
 */
smallest_class: number, 
/**
 * Their average size.
 */
average_class: number, 
/**
 * Highest risk of a released row to be singled out: 1 / smallest class.
 */
highest_risk: number, 
/**
 * Average risk: classes / released rows.
 */
average_risk: number, 
/**
 * What is promised.
 */
promises: Array<PromiseView>, };

export type FoundView = { 
/**
 * The best transformation; where every class has labels of its own, the highest levels they show.
 */
node: NodeView, 
/**
 * The metric that was made small.
 */
metric: string, 
/**
 * Whether every class has labels of its own.
 */
local: boolean, 
/**
 * Whether there is none better.
 */
optimal: boolean, 
/**
 * By how many percent of its loss it could be beaten, where that is known.
 */
gap: number | null, 
/**
 * Transformations that were looked at.
 */
checks: number, 
/**
 * Transformations there are.
 */
nodes: number, 
/**
 * The algorithm.
 */
algorithm: string, 
/**
 * Seconds of reading and counting; 0 where that was done before.
 */
reading_seconds: number, 
/**
 * Seconds of searching.
 */
search_seconds: number, 
/**
 * What the user should know.
 */
warnings: Array<string>, };

export type PointView = { 
/**
 * Levels, in job order.
 */
levels: Array<number>, 
/**
 * Loss by the job's metric.
 */
loss: number, 
/**
 * Average risk of a released row.
 */
risk: number, 
/**
 * Rows left out.
 */
suppressed: number, 
/**
 * Smallest released class.
 */
smallest: number, 
/**
 * Whether all promises hold.
 */
holds: boolean, };

export type SpaceView = { 
/**
 * How many there are.
 */
nodes: number, 
/**
 * How many were looked at; all of them, or those around the best one.
 */
looked_at: number, 
/**
 * The quasi-identifiers.
 */
columns: Array<string>, 
/**
 * Their lowest levels.
 */
lowest: Array<number>, 
/**
 * Their highest levels.
 */
highest: Array<number>, 
/**
 * Whether all of them were looked at.
 */
complete: boolean, };

export type CompareView = { 
/**
 * The column.
 */
column: string, 
/**
 * Its level; `null` where it is released as it is.
 */
level: number | null, 
/**
 * The table, by its own values.
 */
input: Array<Bar>, 
/**
 * Rows of values that few rows have.
 */
input_other: number, 
/**
 * The table, by the labels of the release.
 */
relabelled: Array<Bar>, 
/**
 * The release.
 */
output: Array<Bar>, 
/**
 * Rows left out, by the labels that they would have had.
 */
suppressed: Array<Bar>, 
/**
 * Pairs with another column.
 */
contingency: ContingencyView | null, };

export type ContingencyView = { 
/**
 * The other column.
 */
other: string, 
/**
 * Labels of the first column.
 */
rows: Array<string | null>, 
/**
 * Labels of the other one.
 */
columns: Array<string | null>, 
/**
 * Rows of the table, by label and label.
 */
input: Array<Array<number>>, 
/**
 * Rows of the release.
 */
output: Array<Array<number>>, };

export type FileView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its bytes.
 */
bytes: number, };

export type ReleaseView = { 
/**
 * Name of its folder, as the job says it.
 */
path: string, 
/**
 * Its report, as `anonymize --json` prints it.
 */
document: any, 
/**
 * What may be handed out.
 */
files: Array<FileView>, 
/**
 * The command that makes it again, in the project folder.
 */
command: string, 
/**
 * What the verifier says of it.
 */
verification: VerificationView, };

export type VerificationView = { 
/**
 * Whether every check held.
 */
holds: boolean, 
/**
 * One sentence.
 */
verdict: string, 
/**
 * Each check.
 */
checks: Array<VerificationCheck>, 
/**
 * What it takes from the manifest.
 */
trusted: Array<string>, 
/**
 * What it could not check.
 */
not_checked: Array<string>, 
/**
 * The key that the manifest is signed with.
 */
signer: string | null, };

export type VerificationCheck = { 
/**
 * Whether it held.
 */
held: boolean, 
/**
 * What it is about.
 */
about: string, 
/**
 * What was found.
 */
detail: string, };

export type RegisterView = { 
/**
 * Whether there is one.
 */
exists: boolean, 
/**
 * Whether its chain is whole and no file was changed.
 */
holds: boolean, 
/**
 * The first line that is not as it was written.
 */
broken: string | null, 
/**
 * Its releases.
 */
releases: Array<RegisterLine>, };

export type RegisterLine = { 
/**
 * Its number.
 */
sequence: number, 
/**
 * When it was written.
 */
time: string, 
/**
 * Its folder.
 */
release: string, 
/**
 * What became of it.
 */
state: string, 
/**
 * Why that is said.
 */
detail: string, 
/**
 * Whether something is wrong with it.
 */
alarm: boolean, 
/**
 * Released rows.
 */
rows: number, 
/**
 * Rows of its table.
 */
input_rows: number, 
/**
 * What was promised.
 */
promised: Array<string>, 
/**
 * What it tells together with earlier releases, as its report says; empty where the report is not in place.
 */
together: Array<TogetherView>, };

export type TogetherView = { 
/**
 * Number of the earlier release.
 */
sequence: number, 
/**
 * Rows that both are made of.
 */
rows: number | null, 
/**
 * The worst that an attack on both finds: `broken`, `not-compared`, `residual`, `nothing-found` or `covered`.
 */
severity: string | null, 
/**
 * What each attack found.
 */
results: Array<string>, };

export type PolicyView = { 
/**
 * Name of the file.
 */
file: string, 
/**
 * Name of the policy.
 */
name: string, 
/**
 * Digest of its canonical form.
 */
version: string, 
/**
 * Who may ask.
 */
recipients: Array<RecipientView>, 
/**
 * Rules without effect, and rules that together leave nothing.
 */
remarks: Array<PolicyRemark>, 
/**
 * What answers have cost, and what is kept.
 */
state: StateView, };

export type RecipientView = { 
/**
 * Name.
 */
role: string, 
/**
 * How far it is trusted: `untrusted`, `trusted` or `owner`.
 */
trust: string, 
/**
 * Recipients of a group have one account.
 */
group: string, 
/**
 * What all noisy answers to the group may cost.
 */
budget: CostView | null, 
/**
 * Most answers of a day.
 */
answers_per_day: number | null, 
/**
 * By purpose: what may be done.
 */
purposes: Array<PurposeView>, };

export type CostView = { 
/**
 * ε
 */
epsilon: string, 
/**
 * δ
 */
delta: string, };

export type PurposeView = { 
/**
 * What for.
 */
purpose: string, 
/**
 * By table.
 */
tables: Array<TableRights>, };

export type TableRights = { 
/**
 * Its name in questions.
 */
table: string, 
/**
 * Whether nothing may be done.
 */
denied: boolean, 
/**
 * Conditions that rows must meet.
 */
conditions: Array<string>, 
/**
 * Columns of time with the finest grain that may be used.
 */
times: Array<[string, string]>, 
/**
 * Whether its rows may be counted as a whole.
 */
count: boolean, 
/**
 * Every exact answer is of at least so many people.
 */
min_people: number | null, 
/**
 * By column.
 */
columns: Array<ColumnRights>, };

export type ColumnRights = { 
/**
 * Its name.
 */
column: string, 
/**
 * In rows.
 */
show: number | null, 
/**
 * In conditions.
 */
filter: number | null, 
/**
 * In groups.
 */
group: number | null, 
/**
 * Figures of it.
 */
figures: Array<string>, 
/**
 * The most that one answer may tell.
 */
noise: CostView | null, 
/**
 * The rules that say so; none is a denial.
 */
rules: Array<string>, };

export type PolicyRemark = { 
/**
 * Which.
 */
rules: Array<string>, 
/**
 * What is remarkable.
 */
message: string, };

export type StateView = { 
/**
 * Answers that are given again at no cost; none where nothing was asked yet.
 */
answers: number | null, 
/**
 * Sums of what groups have paid.
 */
spent: Array<SpentView>, 
/**
 * The lines of the ledger, the last first, at most a hundred.
 */
ledger: Array<LedgerLine>, 
/**
 * All lines with a cost.
 */
lines: number, 
/**
 * Hash of the last line.
 */
head: string | null, 
/**
 * Exact answers that later ones are held against.
 */
exact: Array<ExactView>, 
/**
 * What is wrong with the files.
 */
broken: Array<string>, };

export type SpentView = { 
/**
 * The group.
 */
group: string, 
/**
 * In all.
 */
cost: CostView, };

export type LedgerLine = { 
/**
 * Its number.
 */
line: number, 
/**
 * When it was written.
 */
time: string, 
/**
 * Who has the answer.
 */
group: string, 
/**
 * What it cost.
 */
cost: CostView, 
/**
 * What it was.
 */
label: string, };

export type ExactView = { 
/**
 * The group.
 */
group: string, 
/**
 * The table.
 */
table: string, 
/**
 * How many.
 */
answers: number, 
/**
 * Whether the group has rows of it.
 */
rows: boolean, };

export type AnswerView = { 
/**
 * The columns, as the statement names them.
 */
columns: Array<string>, 
/**
 * The rows.
 */
rows: any[][], 
/**
 * What was done.
 */
annotation: any, };

export type ExplainedView = { 
/**
 * What would be changed.
 */
adaptations: any[], 
/**
 * The columns that would be read.
 */
reads: Array<string>, 
/**
 * The plan.
 */
plan: string, 
/**
 * What it would cost, if it was not answered before; none for exact figures and rows.
 */
cost: CostView | null, 
/**
 * The rules that take part.
 */
rules: Array<string>, };

export type JointView = { 
/**
 * Name of the federation file or of the invitation.
 */
file: string, 
/**
 * Whether it is an invitation that nobody has unpacked yet.
 */
packed: boolean, 
/**
 * What the run is called.
 */
run: string, 
/**
 * Digest of everything that was agreed on so far.
 */
digest: string, 
/**
 * `A`, `B` or `C`.
 */
protocol: string, 
/**
 * `horizontal`, `vertical` or `hybrid`.
 */
split: string, 
/**
 * The party where the release arrives.
 */
receiver: string, 
/**
 * The column that rows or people are matched by.
 */
identifier: string | null, 
/**
 * The promises and the search, a line each.
 */
promises: Array<string>, 
/**
 * The columns of the release.
 */
columns: Array<JointColumn>, 
/**
 * Which party this is, where that is known.
 */
me: string | null, 
/**
 * Everybody, in order.
 */
parties: Array<JointParty>, 
/**
 * Whether nothing is missing.
 */
complete: boolean, 
/**
 * What has to be mended first.
 */
problems: Array<string>, 
/**
 * What is next, as `paravent party status` says it.
 */
next: string, 
/**
 * What came back from parties.
 */
answers: Array<JointAnswer>, 
/**
 * Who sends what to whom.
 */
sent: Array<JointSent>, 
/**
 * What each party learns by design.
 */
learned: Array<JointLearned>, 
/**
 * What could be concluded, and what stands against it.
 */
concluded: Array<JointConcluded>, 
/**
 * What this party does, in order.
 */
steps: Array<JointStep>, };

export type JointColumn = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its role.
 */
role: string, 
/**
 * Who holds it; nobody by name where all parties do.
 */
held_by: Array<string>, };

export type JointParty = { 
/**
 * Its name.
 */
name: string, 
/**
 * `primary`, `without-data` or `helper`.
 */
part: string, 
/**
 * `invited`, `joined`, `approved` or `approved another version`.
 */
stage: string, 
/**
 * Where it listens.
 */
address: string | null, 
/**
 * Fingerprint of its certificate.
 */
fingerprint: string | null, 
/**
 * What it counted of the people in common.
 */
matched: string | null, };

export type JointAnswer = { 
/**
 * Its name.
 */
file: string, 
/**
 * Parties that join in it.
 */
parties: Array<string>, 
/**
 * Whether the federation file has it.
 */
merged: boolean, 
/**
 * Why it is of no use.
 */
problem: string | null, };

export type JointSent = { 
/**
 * Who sends.
 */
from: string, 
/**
 * To whom.
 */
to: string, 
/**
 * What.
 */
what: string, };

export type JointLearned = { 
/**
 * Who.
 */
party: string, 
/**
 * What.
 */
what: string, };

export type JointConcluded = { 
/**
 * By whom.
 */
who: string, 
/**
 * What.
 */
what: string, 
/**
 * What stands against it.
 */
against: string, };

export type JointStep = { 
/**
 * `unpack`, `keygen`, `join`, `merge`, `match`, `approve`, `preview` or `run`.
 */
kind: string, 
/**
 * `done`, `next` or `later`.
 */
state: string, 
/**
 * The command that does it, in the project folder.
 */
command: string, };
