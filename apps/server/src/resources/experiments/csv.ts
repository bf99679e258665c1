import { csvLine } from "#http/csv-line.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import type { EvaluationRow } from "./evaluations.ts";
import { latencyMs, type RunRecord } from "./records.ts";

type Cell = string | number | null;

const COLUMNS: readonly (readonly [name: string, cell: (record: RunRecord) => Cell])[] = [
	["example_id", ({ run }) => encodeGlobalId("DatasetExample", run.example_id)],
	["repetition_number", ({ run }) => run.repetition_number],
	["input", ({ example }) => example.input],
	["reference_output", ({ example }) => example.output],
	["output", ({ run }) => textOfJson(run.output)],
	["metadata", ({ example }) => example.metadata],
	["error", ({ run }) => run.error],
	["latency_ms", ({ run }) => latencyMs(run)],
	["start_time", ({ run }) => formatTime(run.start_micros)],
	["end_time", ({ run }) => formatTime(run.end_micros)],
	["trace_id", ({ run }) => run.trace_id],
	["prompt_token_count", ({ tokens }) => tokens?.prompt ?? null],
	["completion_token_count", ({ tokens }) => tokens?.completion ?? null],
];

const EVALUATION_COLUMNS: readonly (readonly [name: string, cell: (evaluation: EvaluationRow) => Cell])[] = [
	["label", ({ label }) => label],
	["score", ({ score }) => score],
	["explanation", ({ explanation }) => explanation],
	["metadata", ({ metadata }) => metadata],
	["annotator_kind", ({ annotator_kind }) => annotator_kind],
	["trace_id", ({ trace_id }) => trace_id],
	["error", ({ error }) => error],
	["start_time", ({ start_micros }) => formatTime(start_micros)],
	["end_time", ({ end_micros }) => formatTime(end_micros)],
];

/** CSV (RFC 4180) with a row for each run and columns for each name of evaluations. */
export async function* csvText(
	names: readonly string[],
	chunks: AsyncIterable<readonly RunRecord[]>,
	escaping: { readonly escapeFormulas: boolean },
): AsyncGenerator<string> {
	const ofEvaluations = names.flatMap((name) => EVALUATION_COLUMNS.map(([column]) => `annotation_${name}_${column}`));
	yield csvLine([...COLUMNS.map(([name]) => name), ...ofEvaluations], escaping);
	for await (const chunk of chunks) yield chunk.map((record) => csvLine(cells(names, record), escaping)).join("");
}

function cells(names: readonly string[], record: RunRecord): Cell[] {
	const evaluations = new Map(record.evaluations.map((evaluation) => [evaluation.name, evaluation]));
	return [
		...COLUMNS.map(([, cell]) => cell(record)),
		...names.flatMap((name) => {
			const evaluation = evaluations.get(name);
			return EVALUATION_COLUMNS.map(([, cell]) => (evaluation === undefined ? null : cell(evaluation)));
		}),
	];
}

/** The text of a JSON string, null for JSON's null, and the JSON of any other value. */
function textOfJson(json: string): string | null {
	const value = fromJsonText(json);
	if (value === null) return null;
	return typeof value === "string" ? value : json;
}
