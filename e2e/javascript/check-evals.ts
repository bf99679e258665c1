import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readEvaluations } from "./check-experiments.ts";
import type { ClientUnderTest } from "./client-under-test.ts";

const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
const CONFIG = join(import.meta.dirname, "evals/vitest.config.ts");

/** The entry of phoenix-client for Vitest: a suite is a dataset, each run of it an experiment. */
export function checkEvals(under: () => ClientUnderTest, connection: () => { url: string; apiKey?: string }): void {
	test("a suite of the Vitest entry is a dataset and an experiment", async () => {
		const { url, apiKey } = connection();
		const reports = await mkdtemp(join(tmpdir(), "spanward-evals-"));
		const env = { ...process.env, PHOENIX_HOST: url, PHOENIX_TEST_REPORT_DIR: reports };
		const withKey = apiKey === undefined ? env : { ...env, PHOENIX_API_KEY: apiKey };
		try {
			await promisify(execFile)(process.execPath, [VITEST, "run", "--config", CONFIG], { env: withKey });
		} finally {
			await rm(reports, { recursive: true, force: true });
		}
		const { client, datasets, experiments } = under();
		const dataset = await datasets.getDataset({ client, dataset: { datasetName: "js-evals" } });
		expect(dataset.examples.map(({ id }) => id).toSorted()).toEqual(["one", "three", "two"]);
		const [experiment] = await experiments.listExperiments({ client, datasetId: dataset.id });
		expect(experiment?.successfulRunCount).toBe(3);
		const evaluations = await readEvaluations(client, experiment?.id ?? "");
		const names = new Set(evaluations.map(({ name }) => name));
		expect(["checked", "judged"].filter((name) => !names.has(name))).toEqual([]);
	});
}
