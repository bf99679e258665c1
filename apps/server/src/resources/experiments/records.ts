import { type Kysely, sql } from "kysely";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText, objectFromJsonText } from "#http/json-values.ts";
import { countThatFits } from "#http/page-size.ts";
import { CHUNK, CHUNK_BYTES } from "#http/stream-array.ts";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import { storedTraceId } from "#storage/traces/sent-ids/sent-ids.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import type { ExampleRow } from "../datasets/examples.ts";
import { type EvaluationRow, evaluationBytes, findEvaluations, toEvaluation } from "./evaluations.ts";
import { findExamples } from "./examples.ts";
import type { ExperimentRow } from "./queries.ts";
import { findRuns, type RunRow } from "./runs.ts";
import type { ExperimentRunRecord } from "./schemas.ts";

/** A run with its example, evaluations and tokens. */
export interface RunRecord {
	readonly run: RunRow;
	readonly example: ExampleRow;
	readonly evaluations: readonly EvaluationRow[];
	/** Tokens of its trace in the experiment's project, if the trace exists. */
	readonly tokens: TraceTokens | undefined;
}

interface TraceTokens {
	readonly prompt: number;
	readonly completion: number;
}

/** The runs of an experiment by example and repetition, a chunk at a time. */
export async function* readRecords(
	db: Kysely<Tables>,
	traces: TraceReader,
	experiment: ExperimentRow,
): AsyncGenerator<RunRecord[]> {
	let after = { example_id: 0, repetition_number: 0 };
	for (;;) {
		const keys = await db
			.selectFrom("experiment_runs")
			.where("experiment_id", "=", experiment.id)
			.where(({ eb, refTuple, tuple }) =>
				eb(refTuple("example_id", "repetition_number"), ">", tuple(after.example_id, after.repetition_number)),
			)
			.select([
				"id",
				"example_id",
				"repetition_number",
				sql<number>`octet_length(output) + coalesce(octet_length(error), 0) + ${evaluationBytes}`.as("bytes"),
			])
			.orderBy("example_id")
			.orderBy("repetition_number")
			.limit(CHUNK)
			.execute();
		const chunk = keys.slice(0, countThatFits(keys, CHUNK_BYTES));
		const last = chunk.at(-1);
		if (last === undefined) return;
		yield await completed(
			db,
			traces,
			experiment,
			chunk.map(({ id }) => id),
		);
		after = last;
	}
}

async function completed(
	db: Kysely<Tables>,
	traces: TraceReader,
	experiment: ExperimentRow,
	runIds: readonly number[],
): Promise<RunRecord[]> {
	const runs = new Map((await findRuns(db, runIds)).map((run) => [run.id, run]));
	const [examples, evaluations, tokens] = await Promise.all([
		findExamples(db, experiment, [...new Set(Array.from(runs.values(), (run) => run.example_id))]),
		findEvaluations(db, runIds),
		findTokens(
			traces,
			experiment,
			Array.from(runs.values(), (run) => run.trace_id),
		),
	]);
	return runIds.flatMap((id) => {
		const run = runs.get(id);
		const example = run && examples.get(run.example_id);
		if (run === undefined || example === undefined) return [];
		return [{ run, example, evaluations: evaluations.get(id) ?? [], tokens: tokens.get(run.trace_id ?? "") }];
	});
}

/** By trace ids as they were sent. */
async function findTokens(
	traces: TraceReader,
	{ project_id }: ExperimentRow,
	traceIds: readonly (string | null)[],
): Promise<Map<string, TraceTokens>> {
	const wanted = traceIds.filter((id) => id !== null);
	if (project_id === null || wanted.length === 0) return new Map();
	const found = await traces.findTracesByTraceIds(wanted, project_id);
	const byStoredId = new Map(found.map(({ traceId, tokens }) => [storedTraceId(traceId), tokens]));
	return new Map(
		wanted.flatMap((id) => {
			const tokens = byStoredId.get(storedTraceId(id));
			return tokens === undefined ? [] : [[id, tokens]];
		}),
	);
}

/** An element of the JSON download. */
export function toRecord({ run, example, evaluations, tokens }: RunRecord): z.output<typeof ExperimentRunRecord> {
	return {
		example_id: encodeGlobalId("DatasetExample", run.example_id),
		repetition_number: run.repetition_number,
		input: objectFromJsonText(example.input),
		reference_output: objectFromJsonText(example.output),
		output: fromJsonText(run.output),
		error: run.error,
		latency_ms: latencyMs(run),
		start_time: formatTime(run.start_micros),
		end_time: formatTime(run.end_micros),
		trace_id: run.trace_id,
		prompt_token_count: tokens?.prompt ?? null,
		completion_token_count: tokens?.completion ?? null,
		annotations: evaluations.map(toEvaluation),
	};
}

export function latencyMs({ start_micros, end_micros }: RunRow): number {
	return (end_micros - start_micros) / 1_000;
}
