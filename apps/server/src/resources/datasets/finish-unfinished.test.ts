import { expect } from "vitest";
import { openPostgres } from "#storage/postgres/open-postgres.ts";
import { createTestSchema, testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { findUnfinished, finish, leaseOf } from "./unfinished.ts";

testWithPostgres("what a living process is at stays unfinished, and is finished when it is gone", async () => {
	await using schema = await createTestSchema();
	const open = () => openPostgres({ SERVICE_PROJECT_NAME: "default" }, schema.settings);
	await using one = await open();
	await using two = await open();
	const row = { description: null, metadata: "{}", created_at: 1, updated_at: 1 };
	const { uploading, deleting } = await one.db.write(async (transaction) => {
		const insert = async (name: string, state: "uploading" | "deleting") =>
			(
				await transaction
					.insertInto("datasets")
					.values({ ...row, name, state })
					.returning("id")
					.executeTakeFirstOrThrow()
			).id;
		const ids = { uploading: await insert("uploading", "uploading"), deleting: await insert("deleting", "deleting") };
		await transaction
			.insertInto("dataset_uploads")
			.values({ version_id: 7, dataset_id: ids.uploading, started_at: 1 })
			.execute();
		return ids;
	});
	const unfinished = { uploads: [{ datasetId: uploading, versionId: 7 }], deletions: [deleting] };
	const running = new AbortController().signal;
	const other = {
		...two,
		discard: { write: two.db.write.bind(two.db), deleteProject: two.traces.deleteProject.bind(two.traces) },
	};

	await one.cluster.withLease(leaseOf.upload(7), async () => {
		await one.cluster.withLease(leaseOf.deletion(deleting), async () => {
			await finish(other, await findUnfinished(two.db), running);
			expect(await findUnfinished(two.db)).toEqual(unfinished);
		});
	});
	await finish(other, await findUnfinished(two.db), running);
	expect(await findUnfinished(two.db)).toEqual({ uploads: [], deletions: [] });
	expect(await one.db.read.selectFrom("datasets").select("id").execute()).toEqual([]);
});
