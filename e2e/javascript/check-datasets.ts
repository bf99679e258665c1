import { expect, test } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";

const EXAMPLES = [
	{ input: { q: "1+1" }, output: { a: "2" }, metadata: { level: 1 }, splits: "train" },
	{ input: { q: "2+2" }, output: { a: "4" }, splits: ["train", "test"] },
];

export function checkDatasets(under: () => ClientUnderTest): void {
	test("a dataset is made, read by id and by name, and by split", async () => {
		const { client, datasets } = under();
		const { datasetId } = await datasets.createDataset({
			client,
			name: "js-dataset",
			description: "sums",
			examples: EXAMPLES,
		});
		const byId = await datasets.getDataset({ client, dataset: { datasetId } });
		expect(byId).toMatchObject({ id: datasetId, name: "js-dataset", description: "sums" });
		expect(byId.examples.map(({ input }) => input["q"]).toSorted()).toEqual(["1+1", "2+2"]);
		const first = byId.examples.find(({ input }) => input["q"] === "1+1");
		expect(first).toMatchObject({ output: { a: "2" }, metadata: { level: 1 } });
		expect(first?.nodeId).toBeTruthy();
		expect(first?.updatedAt.getTime()).toBeGreaterThan(0);
		const byName = { datasetName: "js-dataset" };
		expect(await datasets.getDatasetInfo({ client, dataset: byName })).toMatchObject({ id: datasetId });
		expect((await datasets.getDatasetExamples({ client, dataset: byName })).examples).toHaveLength(2);
		const test = await datasets.getDatasetExamples({ client, dataset: { ...byName, splits: ["test"] } });
		expect(test.examples.map(({ input }) => input["q"])).toEqual(["2+2"]);
	});

	test("examples are appended as a version; the one before can still be read", async () => {
		const { client, datasets } = under();
		const name = "js-appended";
		const { datasetId } = await datasets.createDataset({
			client,
			name,
			description: "",
			examples: EXAMPLES.slice(0, 1),
		});
		const { versionId } = await datasets.getDatasetExamples({ client, dataset: { datasetId } });
		const appended = await datasets.appendDatasetExamples({
			client,
			dataset: { datasetName: name },
			examples: EXAMPLES.slice(1),
		});
		expect(appended.datasetId).toBe(datasetId);
		expect(appended.versionId).not.toBe(versionId);
		const sizeOf = async (version: string) =>
			(await datasets.getDatasetExamples({ client, dataset: { datasetId, versionId: version } })).examples.length;
		expect([await sizeOf(versionId), await sizeOf(appended.versionId)]).toEqual([1, 2]);
	});

	test("datasets are listed", async () => {
		const { client, datasets } = under();
		for (let number = 0; number < 12; number++) {
			const name = `js-listed-${number}`;
			await datasets.createDataset({ client, name, description: "", examples: [{ input: { number } }] });
		}
		const { data } = await client.GET("/v1/datasets", { params: { query: { limit: 12 } } });
		expect(data?.data.filter(({ name }) => name.startsWith("js-listed-"))).toHaveLength(12);
		expect(data?.next_cursor).not.toBeNull();
	});
}
