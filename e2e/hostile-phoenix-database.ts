import { DatabaseSync } from "node:sqlite";
import { phoenixDatabase, SQLITE } from "./phoenix-database.ts";

const AT = "2026-01-01 00:00:00";
const FAR = "9999-12-31 23:59:59";
const LONG = "x".repeat(3_000_000);
/** More than one may hold as a number, and more than PostgreSQL keeps. */
const HUGE = 2n ** 62n;

type Value = string | number | bigint | Uint8Array | null;

/** Makes a database of Phoenix at `path` with rows that nothing but an attacker or a broken disk would write. */
export function makeHostileDatabase(path: string): void {
	using db = new DatabaseSync(path);
	db.exec(phoenixDatabase(SQLITE));
	const insert = (table: string, ...rows: readonly (readonly Value[])[]) => {
		for (const row of rows) db.prepare(`insert into ${table} values (${row.map(() => "?").join(", ")})`).run(...row);
	};
	const names = ["", LONG, "a\u0000b", "\u001b[2J", null, new Uint8Array([255])];
	insert("projects", ...names.map((name, index) => [10 + index, name, LONG, FAR, "0001-01-01", HUGE]));
	insert("projects", [20, "far", "d\u0000", FAR, "garbage", null]);
	insert("traces", [10, 2, "f".repeat(32)]);
	const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
	const spans: readonly (readonly [attributes: string, events?: string, start?: string | number, parent?: number])[] = [
		["{}", "[]", AT, 11],
		["{}", "[]", AT, 10],
		["{}", "[]", AT, 12],
		['{"n": NaN, "text": "NaN", "i": -Infinity}'],
		[deep(4_000)],
		[deep(200_000)],
		["not json"],
		['{"__proto__": {"x": 1}, "a\\u0000": "\\ud800"}'],
		[`{"llm": {"token_count": {"prompt": -${"9".repeat(30)}, "completion": 1e308}}}`],
		["{}", '[1, null, {"name": {}, "timestamp": {}, "attributes": 5}]'],
		["{}", "[]", FAR],
		["{}", "[]", "0001-01-01"],
		["{}", "[]", -5],
	];
	for (const [index, [attributes, events = "[]", start = AT, parent]] of spans.entries()) {
		const id = (number: number) => `${number}`.padStart(16, "a");
		const parentId = parent === undefined ? null : id(parent);
		insert("spans", [
			...[10 + index, 10, id(10 + index), parentId, index === 0 ? LONG : "n\u0000", "WHAT", start, start],
			...[attributes, events, "BAD", null],
		]);
	}
	const annotation = [null, Number.POSITIVE_INFINITY, LONG, "[", "LLM", "API", HUGE, FAR, "x"] as const;
	insert("span_annotations", ...names.map((name, index) => [10 + index, 2, name, LONG, ...annotation]));
	insert("document_annotations", [10, 3, "r", "x", ...annotation, "first"], [11, 3, "r", "y", ...annotation, HUGE]);
	insert("datasets", ...names.map((name, index) => [10 + index, name, LONG, deep(200_000), FAR, "x"]));
	insert("datasets", [20, "twice", null, null, AT, AT], [21, "twice", null, null, AT, AT]);
	insert("dataset_versions", [20, 20, null, "", FAR, HUGE]);
	insert("dataset_examples", [20, 20, HUGE, "one"], [21, 20, null, "one"]);
	insert("dataset_example_revisions", [20, 20, 20, "{", "1", null, "CREATE"], [21, 21, 20, "{}", "{}", "{}", "CREATE"]);
	insert("dataset_labels", [20, "styled", null, "red;background:url(//evil.example)"]);
	insert("datasets_dataset_labels", [1, 20], [1, 20]);
	insert("experiments", [20, 1, 2, "odd", LONG, HUGE, "{}", null, 0, null, FAR, "x"]);
	insert("experiment_runs", ...[20, 21].map((id) => [id, 20, 1, 1, LONG, "{", null, FAR, "x"]));
	insert(
		"experiment_run_annotations",
		...[20, 21].map((id) => [id, 20, "a", "CODE", LONG, 1, null, null, "", null, AT, AT]),
	);
	insert("prompt_version_tags", ...names.map((name, index) => [10 + index, name, LONG, 1, 2]), [
		20,
		"production",
		null,
		1,
		2,
	]);
	insert(
		"generative_models",
		[20, LONG, "", "(", 0, FAR, AT, AT, null],
		[21, "free", "", "free", 0, FAR, FAR, AT, null],
	);
	insert("token_prices", [20, 21, "input", 1, -1, "{"], [21, 20, "input", 1, 1e308, null]);
	insert(
		"project_trace_retention_policies",
		[20, "deep", "* * * * *", deep(4_000)],
		[21, "cron", "evil", '{"type":"max_days"}'],
	);
	insert("api_keys", [20, 3, LONG]);
}
