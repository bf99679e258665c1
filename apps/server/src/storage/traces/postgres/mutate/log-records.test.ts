import { sql } from "kysely";
import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { addProjectsOfLogs } from "#storage/postgres/migrations/0016-projects-of-logs.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { hashOfLog } from "#storage/traces/content/log-record.ts";
import type { ProjectsOfWrite } from "#storage/traces/span-batch.ts";
import { spanHex, testLog, testSpan, traceHex } from "#storage/traces/test-spans.ts";
import { damageOf, openTestStore } from "../test-store.ts";

testWithPostgres(
	"leaves log records to their trace that is just being stored, and none to one of its id in another project",
	async () => {
		await using store = await openTestStore();
		const upkeep = store.storage.upkeep.find((piece) => piece.name === "log records without spans");
		await store.writer.write([testSpan({ trace: 1 })], [testLog({ trace: 1, content: "of a trace that goes" })]);
		const project = "other";
		await store.writer.write(
			[],
			[
				testLog({ project, trace: 1, content: "waits" }),
				testLog({ project, trace: 2, span: 2, content: "waits" }),
				testLog({ trace: 3, content: "old" }),
			],
		);
		await sql`update log_records set received_at = 0`.execute(store.db.read);
		const [going] = await allTraces(store, await projectId(store));
		let work: Promise<unknown[]> | undefined;
		await store.db.write(async (transaction) => {
			const waiting = async (condition: string) => {
				const { rows } = await sql`select from pg_locks where not granted and ${sql.raw(condition)}`.execute(
					transaction,
				);
				return rows.length;
			};
			const forHours = () => waiting("relation = 'hours'::regclass");
			// Writers and deletions lock it last.
			await sql`lock table hours in share mode`.execute(transaction);
			const stored = [testSpan({ trace: 1, project }), testSpan({ trace: 2, span: 2, project })];
			const writing = store.writer.write(stored, []);
			await expect.poll(forHours).toBe(1);
			const deleting = store.traces.deleteTrace(going?.id ?? 0);
			const tidying = upkeep?.run(new AbortController().signal);
			work = Promise.all([writing, deleting, tidying]);
			await expect.poll(forHours).toBe(2);
			const ofLogs = "classid::bigint = hashtext(current_schema())::bigint & 4294967295";
			await expect.poll(() => waiting(`locktype = 'advisory' and ${ofLogs}`)).toBe(1);
		});
		await work;
		const { rows } = await sql`select get_byte(trace_id, 15) as trace,
		(select name from projects where id = project_id) as project from log_records order by 1`.execute(store.db.read);
		expect(rows).toEqual([
			{ trace: 1, project },
			{ trace: 2, project },
		]);
		expect(await damageOf(store)).toEqual([]);
	},
);

testWithPostgres(
	"gives log records of before to the traces that there are, others to the first that comes",
	async () => {
		await using store = await openTestStore();
		const early = testLog({ content: "of before" });
		const joined = testLog({ trace: 2, content: "joined before" });
		await store.writer.write([testSpan({ trace: 2 }), testSpan({ trace: 2, project: "other" })], [early, joined]);
		for (const log of [early, joined])
			await sql`update log_records set hash = ${hashOfLog(log.bytes)} where trace_id = ${Buffer.from(log.traceId, "hex")}`.execute(
				store.db.read,
			);
		await sql`alter table log_records drop column project_id`.execute(store.db.read);
		await using stack = new AsyncDisposableStack();
		const client = new pg.Client(connectionConfig(store.settings, store.settings.primary, { name: "test" }));
		await client.connect();
		stack.defer(() => client.end());
		await client.query("begin");
		await addProjectsOfLogs(client);
		await client.query("commit");
		const logsOf = async (trace: number) => {
			const found = await store.traces.findSpansBySpanId(spanHex(1), { traceId: traceHex(trace) });
			return found.map(({ content }) => content.logs.length);
		};
		expect(await logsOf(2)).toEqual([1, 1]);
		const limited: ProjectsOfWrite = { decidedBy: [], isUnlimited: false, makerOf: () => null };
		await store.writer.write([testSpan({ project: "limited" })], [], limited);
		await store.writer.write([testSpan({ project: "first" })], []);
		await store.writer.write([testSpan({ project: "second" })], []);
		expect(await logsOf(1)).toEqual([0, 1, 0]);
		// Sent again, it is known.
		expect(await store.writer.write([], [joined])).toMatchObject({ logRecords: 0 });
		expect(await damageOf(store)).toEqual([]);
	},
);
