import type { DatabaseSync } from "node:sqlite";
import { createSpans } from "./migrations/0001-spans.ts";
import { createAccessControl } from "./migrations/0002-access-control.ts";
import { createExternalSignIn } from "./migrations/0003-external-sign-in.ts";
import { createAnnotationsDatasetsPrompts } from "./migrations/0004-annotations-datasets-prompts.ts";
import { addAnnotatorKinds } from "./migrations/0005-annotator-kinds.ts";
import { createSentIds } from "./migrations/0006-sent-ids.ts";
import { makeCostsExact } from "./migrations/0007-exact-costs.ts";
import { createTextSignatures } from "./migrations/0008-text-signatures.ts";
import { mergeBlocks } from "./migrations/0009-merged-blocks.ts";
import { createSpanZones } from "./migrations/0010-span-zones.ts";
import { dropTraceTexts } from "./migrations/0011-trace-texts.ts";
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
import { indexTracesByUser } from "./migrations/0025-traces-by-user.ts";
import { createReviewQueues } from "./migrations/0026-review-queues.ts";
import { createSpend } from "./migrations/0027-spend.ts";
import { fillReviewQueues } from "./migrations/0028-filling-review-queues.ts";
import { addReviewFigures } from "./migrations/0029-review-figures.ts";
import { reviewRuns } from "./migrations/0030-reviewed-runs.ts";
import { createReviewGoldRuns } from "./migrations/0031-review-gold-runs.ts";
import { createReviewMails } from "./migrations/0032-review-mails.ts";
import { getRow } from "./rows.ts";

/** Every change of the schema, in order. Append only: released migrations never change. */
const MIGRATIONS: readonly ((db: DatabaseSync) => void)[] = [
	createSpans,
	createAccessControl,
	createExternalSignIn,
	createAnnotationsDatasetsPrompts,
	addAnnotatorKinds,
	createSentIds,
	makeCostsExact,
	createTextSignatures,
	mergeBlocks,
	createSpanZones,
	dropTraceTexts,
	createBulkRuns,
	countRunningSpans,
	createRepairRuns,
	createRights,
	addProjectsOfLogs,
	createAuthorizationServer,
	createAgentCalls,
	createModelsAndEvaluators,
	addDeployments,
	createErrorGroups,
	createDashboards,
	createIngestMinutes,
	createSavedViews,
	indexTracesByUser,
	createReviewQueues,
	createSpend,
	fillReviewQueues,
	addReviewFigures,
	reviewRuns,
	createReviewGoldRuns,
	createReviewMails,
];

const CREATE_SCHEMA_VERSION =
	"create table if not exists schema_version (version integer primary key, applied_at integer not null) strict";

/** The schema version that this Spanward works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** A migration failed and was rolled back; `cause` is the original error. */
export class MigrationError extends Error {
	override readonly name = "MigrationError";

	constructor(from: number, to: number, cause: unknown) {
		super(
			`the database cannot be brought from schema version ${from} to ${to} ` +
				`(${cause instanceof Error ? cause.message : String(cause)}): nothing in it was changed, ` +
				"so the Spanward that wrote it still works with it",
			{ cause },
		);
	}
}

/**
 * Runs all missing migrations in one transaction.
 * @param beforeUpgrade called with the new version before anything changes, if the file holds an older schema
 * @throws Error when a newer version wrote the file; MigrationError when a migration fails
 */
export function migrate(db: DatabaseSync, beforeUpgrade: (to: number) => void = () => undefined): void {
	db.exec(CREATE_SCHEMA_VERSION);
	const { version } = getRow<{ version: number }>(
		db.prepare("select coalesce(max(version), 0) as version from schema_version"),
	);
	if (version > MIGRATIONS.length)
		throw new Error(
			`the database has schema version ${version}, this Spanward knows versions up to ${MIGRATIONS.length}: ` +
				"start the newer Spanward that wrote it, or restore a backup made before the upgrade",
		);
	if (version === MIGRATIONS.length) return;
	if (version > 0) beforeUpgrade(MIGRATIONS.length);
	// Dropping a table, to create it anew, would delete the rows that refer to its rows.
	db.exec("pragma foreign_keys = off");
	db.exec("begin immediate");
	try {
		for (const [index, apply] of MIGRATIONS.entries()) {
			if (index < version) continue;
			apply(db);
			db.prepare("insert into schema_version (version, applied_at) values (?, ?)").run(index + 1, Date.now() * 1_000);
		}
		db.exec("commit");
	} catch (error) {
		if (db.isTransaction) db.exec("rollback");
		throw version === 0 ? error : new MigrationError(version, MIGRATIONS.length, error);
	} finally {
		db.exec("pragma foreign_keys = on");
	}
}

/** Creates the tables of a schema version, 1 to `SCHEMA_VERSION`, in an empty database. */
export function createSchema(db: DatabaseSync, version: number): void {
	db.exec(CREATE_SCHEMA_VERSION);
	for (const apply of MIGRATIONS.slice(0, version)) apply(db);
}
