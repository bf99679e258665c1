import type { WritingContext } from "#context.ts";
import { encodeGlobalId } from "#http/global-ids.ts";

export interface TestDataset {
	readonly id: string;
	readonly versionId: string;
	/** Ascending. */
	readonly exampleIds: readonly string[];
}

let made = 0;

/** A dataset with one version of examples `{"n": 1}`, `{"n": 2}`, …; those in `split` are the first of them. */
export async function makeDataset(
	{ db, now }: WritingContext,
	examples: number,
	split?: { readonly name: string; readonly examples: number },
): Promise<TestDataset> {
	made += 1;
	const at = { created_at: now(), updated_at: now() };
	return await db.write(async (transaction) => {
		const dataset = await transaction
			.insertInto("datasets")
			.values({ name: `questions-${made}`, description: null, metadata: "{}", ...at })
			.returning("id")
			.executeTakeFirstOrThrow();
		const counts = { created_examples: examples, updated_examples: 0, deleted_examples: 0, example_count: examples };
		const version = await transaction
			.insertInto("dataset_versions")
			.values({
				dataset_id: dataset.id,
				description: null,
				metadata: "{}",
				...counts,
				user_id: null,
				created_at: now(),
			})
			.returning("id")
			.executeTakeFirstOrThrow();
		const ids: number[] = [];
		for (let n = 1; n <= examples; n++) {
			const source = { external_id: `q${n}`, span_row_id: null, trace_id: null, span_id: null };
			const example = await transaction
				.insertInto("dataset_examples")
				.values({ dataset_id: dataset.id, ...source, created_at: now() })
				.returning("id")
				.executeTakeFirstOrThrow();
			const content = { input: `{"n":${n}}`, output: `{"square":${n * n}}`, metadata: '{"level":"easy"}' };
			await transaction
				.insertInto("dataset_example_revisions")
				.values({
					dataset_id: dataset.id,
					example_id: example.id,
					from_version: version.id,
					to_version: null,
					...content,
					content_hash: new Uint8Array([n]),
					created_at: now(),
				})
				.execute();
			ids.push(example.id);
		}
		if (split !== undefined) {
			const { id } = await transaction
				.insertInto("dataset_splits")
				.values({
					dataset_id: dataset.id,
					name: split.name,
					description: null,
					color: "#808080",
					metadata: "{}",
					...at,
				})
				.returning("id")
				.executeTakeFirstOrThrow();
			const members = ids
				.slice(0, split.examples)
				.map((example_id) => ({ split_id: id, example_id, from_version: version.id, to_version: null }));
			await transaction.insertInto("dataset_split_examples").values(members).execute();
		}
		return {
			id: encodeGlobalId("Dataset", dataset.id),
			versionId: encodeGlobalId("DatasetVersion", version.id),
			exampleIds: ids.map((id) => encodeGlobalId("DatasetExample", id)),
		};
	});
}

/** The body of a run of 250 ms, with the members of `override`. */
export function run(exampleId: string, override: object = {}): object {
	return {
		dataset_example_id: exampleId,
		output: { answer: 4 },
		repetition_number: 1,
		start_time: "2026-01-01T00:00:00+00:00",
		end_time: "2026-01-01T00:00:00.250000+00:00",
		...override,
	};
}

/** The body of an evaluation. */
export function evaluation(runId: string, name: string, override: object = {}): object {
	return {
		experiment_run_id: runId,
		name,
		annotator_kind: "CODE",
		start_time: "2026-01-01T00:00:00+00:00",
		end_time: "2026-01-01T00:00:01+00:00",
		result: { score: 1 },
		...override,
	};
}
