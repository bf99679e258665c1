import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import { createSchema } from "./migrations/0004-schema.ts";
import { addAnnotatorKinds } from "./migrations/0005-annotator-kinds.ts";
import { createSentIds } from "./migrations/0006-sent-ids.ts";
import { makeCostsExact } from "./migrations/0007-exact-costs.ts";
import { createTextSignatures } from "./migrations/0008-text-signatures.ts";
import { createBulkRuns } from "./migrations/0012-bulk-runs.ts";
import { countRunningSpans } from "./migrations/0013-running-spans.ts";
import { createRepairRuns } from "./migrations/0014-repair-runs.ts";
import { createRights } from "./migrations/0015-rights.ts";
import { addProjectsOfLogs } from "./migrations/0016-projects-of-logs.ts";
import { createAuthorizationServer } from "./migrations/0017-authorization-server.ts";
import { createAgentCalls } from "./migrations/0018-agent-calls.ts";
import { createModelsAndEvaluators } from "./migrations/0019-models-and-evaluators.ts";
import { addDeployments } from "./migrations/0020-deployments.ts";
import { createErrorGroups } from "./migrations/0021-error-groups.ts";
import { createDashboards } from "./migrations/0022-dashboards.ts";
import { createIngestMinutes } from "./migrations/0023-ingest-minutes.ts";
import { createSavedViews } from "./migrations/0024-saved-views.ts";
import { createReviewQueues } from "./migrations/0026-review-queues.ts";
import { createSpend } from "./migrations/0027-spend.ts";
import { fillReviewQueues } from "./migrations/0028-filling-review-queues.ts";
import { addReviewFigures } from "./migrations/0029-review-figures.ts";
import { reviewRuns } from "./migrations/0030-reviewed-runs.ts";
import { createReviewGoldRuns } from "./migrations/0031-review-gold-runs.ts";
import { createReviewMails } from "./migrations/0032-review-mails.ts";
import { isConflict } from "./storage-errors.ts";

/** Steps by the schema version that they lead to, with the same numbers as SQLite. Append only. */
const MIGRATIONS: ReadonlyMap<number, (client: ClientBase) => Promise<void>> = new Map([
	[4, createSchema],
	[5, addAnnotatorKinds],
	[6, createSentIds],
	[7, makeCostsExact],
	[8, createTextSignatures],
	// These change SQLite only: a copy between the two keeps the number.
	[9, async () => {}],
	[10, async () => {}],
	// The columns that SQLite drops here stay, as servers of the former version write them.
	[11, async () => {}],
	[12, createBulkRuns],
	[13, countRunningSpans],
	[14, createRepairRuns],
	[15, createRights],
	[16, addProjectsOfLogs],
	[17, createAuthorizationServer],
	[18, createAgentCalls],
	[19, createModelsAndEvaluators],
	[20, addDeployments],
	[21, createErrorGroups],
	[22, createDashboards],
	[23, createIngestMinutes],
	[24, createSavedViews],
	// An index of SQLite alone.
	[25, async () => {}],
	[26, createReviewQueues],
	[27, createSpend],
	[28, fillReviewQueues],
	[29, addReviewFigures],
	[30, reviewRuns],
	[31, createReviewGoldRuns],
	[32, createReviewMails],
]);

/** The version of the schema that this Spanward works with. */
export const SCHEMA_VERSION = Math.max(...MIGRATIONS.keys());

/** Steps lock whole tables while servers that still run write to them, so they deadlock now and then. */
const MOST_TRIES = 20;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Runs all missing steps in one transaction, one process at a time; again after a conflict with a server that writes.
 * Creates the schema when it is missing and the user may.
 * @param prepare runs last, under the same lock; may run again
 * @returns the former version, 0 for an empty schema
 * @throws Error when a newer Spanward wrote the schema
 */
export async function migrate(
	client: ClientBase,
	schema: string,
	prepare: () => Promise<void> = async () => undefined,
): Promise<number> {
	for (let tries = 1; ; tries += 1)
		try {
			return await tryToMigrate(client, schema, prepare);
		} catch (error) {
			if (!isConflict(error) || tries === MOST_TRIES) throw error;
			await sleep(Math.random() * LONGEST_PAUSE_MS);
		}
}

async function tryToMigrate(client: ClientBase, schema: string, prepare: () => Promise<void>): Promise<number> {
	await client.query("begin");
	try {
		// Two processes that start together take turns here.
		await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`spanward ${schema}`]);
		const { rows: found } = await client.query("select 1 from pg_namespace where nspname = $1", [schema]);
		if (found.length === 0) await client.query(`create schema ${quoted(schema)}`);
		await client.query(
			"create table if not exists schema_version (version bigint primary key, applied_at bigint not null)",
		);
		const version = await readSchemaVersion(client);
		if (version > SCHEMA_VERSION)
			throw new Error(
				`the database has schema version ${version}, this Spanward knows versions up to ${SCHEMA_VERSION}: ` +
					"start the newer Spanward that wrote it, or restore a backup made before the upgrade",
			);
		const { rows: copying } = await client.query("select to_regclass('copy_state') as table");
		if (copying[0]?.table !== null)
			throw new Error(
				`the schema ${schema} has an unfinished copy: run the same spanward copy again, which completes it (with --since after a round with --servers-running), or drop the schema`,
			);
		for (const [to, apply] of MIGRATIONS) {
			if (to <= version) continue;
			await apply(client);
			await client.query("insert into schema_version (version, applied_at) values ($1, $2)", [to, Date.now() * 1_000]);
		}
		await prepare();
		await client.query("commit");
		return version;
	} catch (error) {
		await client.query("rollback");
		throw error;
	}
}

/** 0 while a copy into the schema is incomplete. */
export async function readSchemaVersion(client: ClientBase): Promise<number> {
	const { rows } = await client.query("select coalesce(max(version), 0) as version from schema_version");
	return Number(present(rows[0], "the version of the schema").version);
}

function quoted(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}
