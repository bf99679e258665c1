import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId, isGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

/** An evaluator with its newest version. */
export interface EvaluatorRow extends Selectable<Tables["evaluators"]> {
	readonly version_id: number;
	readonly version_number: number;
	readonly kind: VersionRow["kind"];
	readonly definition: string;
}

export type VersionRow = Selectable<Tables["evaluator_versions"]>;

const MAX_EVALUATORS = 1_000;
const MAX_VERSIONS = 1_000;

function evaluators(db: Kysely<Tables>) {
	return db
		.selectFrom("evaluators as evaluator")
		.innerJoin("evaluator_versions as version", (join) =>
			join.onRef("version.evaluator_id", "=", "evaluator.id").on(({ eb, selectFrom }) =>
				eb(
					"version.number",
					"=",
					selectFrom("evaluator_versions as newest")
						.select(({ fn }) => fn.max("newest.number").as("number"))
						.whereRef("newest.evaluator_id", "=", "evaluator.id"),
				),
			),
		)
		.selectAll("evaluator")
		.select([
			"version.id as version_id",
			"version.number as version_number",
			"version.kind as kind",
			"version.definition as definition",
		]);
}

/** Evaluators with the newest first, from `fromId` downwards. */
export async function listEvaluators(
	db: Kysely<Tables>,
	query: {
		readonly limit: number;
		readonly fromId: number | undefined;
		readonly nameContains: string | undefined;
		readonly kind: VersionRow["kind"] | undefined;
		readonly isArchived: boolean;
	},
): Promise<EvaluatorRow[]> {
	let rows = evaluators(db)
		.where("evaluator.archived_at", query.isArchived ? "is not" : "is", null)
		.orderBy("evaluator.id", "desc")
		.limit(query.limit);
	if (query.fromId !== undefined) rows = rows.where("evaluator.id", "<=", query.fromId);
	if (query.kind !== undefined) rows = rows.where("version.kind", "=", query.kind);
	if (query.nameContains !== undefined) {
		const part = query.nameContains.toLowerCase();
		// Names are ASCII.
		rows = rows.where(sql<boolean>`lower(evaluator.name) like ${`%${part.replace(/[\\%_]/g, "\\$&")}%`} escape '\\'`);
	}
	return await rows.execute();
}

/** The evaluator of a global id or a name, archived or not. @throws UserError 404 */
export async function getEvaluator(db: Kysely<Tables>, identifier: string): Promise<EvaluatorRow> {
	const id = decodeGlobalId(identifier, "Evaluator");
	const row =
		id === undefined && isGlobalId(identifier)
			? undefined
			: await evaluators(db)
					.where(({ eb }) => (id === undefined ? eb("evaluator.name", "=", identifier) : eb("evaluator.id", "=", id)))
					.executeTakeFirst();
	if (row === undefined) throw notFound("evaluator_not_found", "There is no evaluator of this name or id");
	return row;
}

/** By row number, archived or not. */
export async function findEvaluators(db: Kysely<Tables>, ids: readonly number[]): Promise<Map<number, EvaluatorRow>> {
	const rows = await evaluators(db).where("evaluator.id", "in", listed(ids)).execute();
	return new Map(rows.map((row) => [row.id, row]));
}

/** @throws UserError 422 for a text that is not the id of a version, 404 */
export async function getVersion(db: Kysely<Tables>, globalId: string): Promise<VersionRow> {
	const id = decodeGlobalId(globalId, "EvaluatorVersion");
	if (id === undefined)
		throw new UserError(422, "invalid_evaluator_version_id", `Invalid evaluator version id: ${globalId.slice(0, 200)}`);
	const row = await db.selectFrom("evaluator_versions").selectAll().where("id", "=", id).executeTakeFirst();
	if (row === undefined) throw notFound("evaluator_version_not_found", "There is no such version of an evaluator");
	return row;
}

/** Versions of an evaluator with the newest first, from `fromId` downwards. */
export async function listVersions(
	db: Kysely<Tables>,
	query: { readonly evaluatorId: number; readonly fromId: number | undefined; readonly limit: number },
): Promise<VersionRow[]> {
	let rows = db
		.selectFrom("evaluator_versions")
		.selectAll()
		.where("evaluator_id", "=", query.evaluatorId)
		.orderBy("id", "desc")
		.limit(query.limit);
	if (query.fromId !== undefined) rows = rows.where("id", "<=", query.fromId);
	return await rows.execute();
}

type Author = Pick<VersionRow, "user_id" | "created_at">;
type NewVersion = Pick<VersionRow, "kind" | "definition" | "template"> & Author;

/** @throws UserError 409 when the name is taken, or there are too many evaluators */
export async function insertEvaluator(
	transaction: Transaction<Tables>,
	{ name, description, version }: { name: string; description: string | null; version: NewVersion },
): Promise<EvaluatorRow> {
	const { count } = await transaction
		.selectFrom("evaluators")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (count >= MAX_EVALUATORS)
		throw new UserError(409, "too_many_evaluators", `There may be at most ${MAX_EVALUATORS} evaluators`);
	const { user_id, created_at } = version;
	const inserted = await transaction
		.insertInto("evaluators")
		.values({ name, description, archived_at: null, revision: 0, user_id, created_at, updated_at: created_at })
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returning("id")
		.executeTakeFirst();
	if (inserted === undefined)
		throw new UserError(409, "evaluator_exists", `An evaluator named ${name} exists already: add a version to it`);
	await insertVersion(transaction, inserted.id, version);
	return await getEvaluator(transaction, name);
}

/** Adds a version, which is the newest from now on. @throws UserError 409 when there are too many */
export async function insertVersion(
	transaction: Transaction<Tables>,
	evaluatorId: number,
	version: NewVersion,
): Promise<VersionRow> {
	const { newest } = await transaction
		.selectFrom("evaluator_versions")
		.select(({ fn }) => fn.coalesce(fn.max("number"), sql<number>`0`).as("newest"))
		.where("evaluator_id", "=", evaluatorId)
		.executeTakeFirstOrThrow();
	if (newest >= MAX_VERSIONS)
		throw new UserError(409, "too_many_evaluator_versions", `An evaluator may have at most ${MAX_VERSIONS} versions`);
	return await transaction
		.insertInto("evaluator_versions")
		.values({ ...version, evaluator_id: evaluatorId, number: newest + 1 })
		.returningAll()
		.executeTakeFirstOrThrow();
}

type Change = Partial<Pick<EvaluatorRow, "name" | "description" | "archived_at">>;

/** @throws UserError 409 when the new name is taken */
export async function updateEvaluator(
	transaction: Transaction<Tables>,
	before: EvaluatorRow,
	change: Change,
	now: number,
): Promise<EvaluatorRow> {
	if (change.name !== undefined && change.name !== before.name) {
		const taken = await transaction
			.selectFrom("evaluators")
			.select("id")
			.where("name", "=", change.name)
			.executeTakeFirst();
		if (taken !== undefined)
			throw new UserError(409, "evaluator_exists", `An evaluator named ${change.name} exists already`);
	}
	await transaction
		.updateTable("evaluators")
		.set({ ...change, revision: before.revision + 1, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.execute();
	return await getEvaluator(transaction, change.name ?? before.name);
}

/** What would miss an evaluator: names of datasets that use it, and unfinished jobs. */
export interface EvaluatorUses {
	readonly datasets: readonly { readonly id: number; readonly name: string; readonly home: number | null }[];
	readonly jobs: readonly { readonly id: number; readonly name: string }[];
}

export async function findUses(db: Kysely<Tables>, evaluatorId: number): Promise<EvaluatorUses> {
	const datasets = await db
		.selectFrom("dataset_evaluators")
		.innerJoin("datasets", "datasets.id", "dataset_evaluators.dataset_id")
		.select(["datasets.id", "datasets.name", "datasets.project_id as home"])
		.where("dataset_evaluators.evaluator_id", "=", evaluatorId)
		.orderBy("datasets.name")
		.execute();
	const unfinished = await db
		.selectFrom("experiment_jobs")
		.select(["id", "name", "definition"])
		.where("state", "in", ["waiting", "running", "paused"])
		.execute();
	const jobs = unfinished.filter(({ definition }) => {
		const { evaluators: used } = JSON.parse(definition) as { evaluators: { evaluatorId: number }[] };
		return used.some((each) => each.evaluatorId === evaluatorId);
	});
	return { datasets, jobs: jobs.map(({ id, name }) => ({ id, name })) };
}
