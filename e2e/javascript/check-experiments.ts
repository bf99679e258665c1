import { DiagLogLevel } from "@arizeai/phoenix-otel";
import { expect, test } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";

type Task = Parameters<ClientUnderTest["experiments"]["runExperiment"]>[0]["task"];

const double: Task = ({ input }) => ({ a: Number(input["q"]) * 2 });
/** Says nothing, and leaves the process as it is. */
export const QUIETLY = {
	logger: { debug() {}, info() {}, log() {}, warn() {}, error() {}, table() {} },
	setGlobalTracerProvider: false,
	useBatchSpanProcessor: false,
	diagLogLevel: DiagLogLevel.NONE,
};

export function checkExperiments(under: () => ClientUnderTest): void {
	async function makeDataset(name: string, size = 3): Promise<string> {
		const { client, datasets } = under();
		const examples = Array.from({ length: size }, (_, q) => ({ input: { q }, output: { a: q * 2 } }));
		return (await datasets.createDataset({ client, name, description: "", examples })).datasetId;
	}

	function isRight(name = "right") {
		return under().experiments.asExperimentEvaluator({
			name,
			kind: "CODE",
			evaluate: ({ output, expected }) => ({
				score: JSON.stringify(output) === JSON.stringify(expected) ? 1 : 0,
				label: "judged",
			}),
		});
	}

	async function evaluationsOf(experimentId: string): Promise<string[]> {
		return (await readEvaluations(under().client, experimentId))
			.map(({ name, score }) => `${name}=${score}`)
			.toSorted();
	}

	test("runExperiment() records runs, evaluations and traces", async () => {
		const { client, experiments, spans } = under();
		const datasetId = await makeDataset("js-run");
		const ran = await experiments.runExperiment({
			client,
			dataset: { datasetId },
			task: double,
			evaluators: [isRight()],
			experimentName: "first",
			experimentDescription: "doubles",
			experimentMetadata: { model: "none" },
			...QUIETLY,
		});
		const { runs } = await experiments.getExperimentRuns({ client, experimentId: ran.id, pageSize: 2 });
		expect(runs.map(({ output }) => output)).toHaveLength(3);
		await expect.poll(() => evaluationsOf(ran.id)).toEqual(["right=1", "right=1", "right=1"]);
		const info = await experiments.getExperimentInfo({ client, experimentId: ran.id });
		expect(info).toMatchObject({ datasetId, exampleCount: 3, successfulRunCount: 3, metadata: { model: "none" } });
		const traced = await spans.getSpans({ client, project: { projectName: info.projectName ?? "" } });
		expect(traced.spans.length).toBeGreaterThanOrEqual(3);
		expect((await experiments.listExperiments({ client, datasetId })).map(({ id }) => id)).toEqual([ran.id]);
		await experiments.deleteExperiment({ client, experimentId: ran.id, deleteProject: false });
		expect(await experiments.listExperiments({ client, datasetId })).toEqual([]);
	});

	test("failed runs are resumed, then evaluations", async () => {
		const { client, experiments } = under();
		const datasetId = await makeDataset("js-resumed");
		const failing: Task = (example) => {
			if (example.input["q"] === 1) throw new Error("not yet");
			return double(example);
		};
		const { id } = await experiments.runExperiment({ client, dataset: { datasetId }, task: failing, ...QUIETLY });
		const counts = async () => {
			const info = await experiments.getExperimentInfo({ client, experimentId: id });
			return [info.successfulRunCount, info.failedRunCount];
		};
		await expect.poll(counts).toEqual([2, 1]);
		await experiments.resumeExperiment({ client, experimentId: id, task: double, ...QUIETLY });
		expect(await counts()).toEqual([3, 0]);
		await experiments.resumeEvaluation({ client, experimentId: id, evaluators: [isRight()], ...QUIETLY });
		await expect.poll(() => evaluationsOf(id)).toEqual(["right=1", "right=1", "right=1"]);
	});

	test("an experiment with repetitions is made, run and evaluated step by step", async () => {
		const { client, experiments } = under();
		const datasetId = await makeDataset("js-steps", 1);
		const created = await experiments.createExperiment({
			client,
			datasetId,
			experimentName: "steps",
			experimentMetadata: { a: 1 },
			repetitions: 2,
		});
		expect(created).toMatchObject({ repetitions: 2, missingRunCount: 2, metadata: { a: 1 } });
		await experiments.resumeExperiment({ client, experimentId: created.id, task: double, ...QUIETLY });
		const ran = await experiments.getExperiment({ client, experimentId: created.id });
		expect(Object.values(ran.runs).map(({ output }) => output)).toEqual([{ a: 0 }, { a: 0 }]);
		const evaluators = experiments.getExperimentEvaluators([
			isRight(),
			experiments.asEvaluator({ name: "second", kind: "CODE", evaluate: () => ({ score: 0.5 }) }),
		]);
		await experiments.evaluateExperiment({ client, experiment: ran, evaluators, ...QUIETLY });
		await expect.poll(() => evaluationsOf(created.id)).toEqual(["right=1", "right=1", "second=0.5", "second=0.5"]);
	});
}

/** What only the released client has. */
export function checkPackagedEvaluators(under: () => ClientUnderTest): void {
	test("an evaluator of the evaluation package is taken", () => {
		const { experiments } = under();
		type PackageEvaluator = Parameters<typeof experiments.fromPhoenixLLMEvaluator>[0];
		const packaged = {
			name: "judge",
			kind: "LLM",
			evaluate: async () => ({ score: 1 }),
		} as unknown as PackageEvaluator;
		expect(experiments.fromPhoenixLLMEvaluator(packaged)).toMatchObject({ name: "judge", kind: "LLM" });
	});
}

interface Evaluation {
	readonly name: string;
	readonly score: number | null;
}

/** No function of the client reads evaluations. */
export async function readEvaluations(
	client: ClientUnderTest["client"],
	experimentId: string,
): Promise<readonly Evaluation[]> {
	const { data } = await client.GET("/v1/experiments/{experiment_id}/json", {
		params: { path: { experiment_id: experimentId } },
		parseAs: "json",
	});
	const runs = data as unknown as readonly { readonly annotations: readonly Evaluation[] }[];
	return runs.flatMap(({ annotations }) => annotations);
}
