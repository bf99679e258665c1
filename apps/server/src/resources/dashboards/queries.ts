import type { Kysely, Selectable, Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { keyLimited } from "#http/access-policy.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { homesOf } from "#http/principal.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenProject } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { isSeenBy, type Viewer, viewerOf } from "./own.ts";

const MOST_DASHBOARDS = 1_000;

type Row = Selectable<Tables["dashboards"]>;
interface WithNames {
	/** Of who changed it last; null for nobody, or an account that was deleted. */
	readonly updated_by_name: string | null;
}
export type DashboardRow = Row & WithNames;
export type DashboardSummaryRow = Omit<Row, "definition"> & WithNames;

const SUMMARY = [
	...(["id", "project_id", "name", "description", "visibility", "widget_count"] as const),
	...(["owner_id", "updated_by", "created_at", "updated_at"] as const),
].map((column) => `dashboards.${column}` as const);

function dashboards(db: Kysely<Tables>) {
	return db
		.selectFrom("dashboards")
		.leftJoin("users as updater", "updater.id", "dashboards.updated_by")
		.select("updater.username as updated_by_name");
}

/**
 * All that a viewer sees, the newest first; there are at most a thousand.
 * @param projectId only those of this project; null for those across projects
 */
export async function listDashboards(
	db: Kysely<Tables>,
	rights: Rights,
	viewer: Viewer,
	projectId?: number | null,
): Promise<DashboardSummaryRow[]> {
	let query = dashboards(db)
		.select(SUMMARY)
		.where(({ or, eb }) =>
			or([eb("dashboards.project_id", "is", null), isSeenProject("dashboards.project_id", rights)]),
		)
		.orderBy("dashboards.id", "desc");
	if (viewer.sees !== "all")
		query = query.where(({ or, eb }) =>
			or([
				eb("dashboards.visibility", "=", "shared"),
				...(viewer.sees === "none" ? [] : [eb("dashboards.owner_id", "=", Number(viewer.sees))]),
			]),
		);
	if (projectId !== undefined) query = query.where("dashboards.project_id", "is not distinct from", projectId);
	return await query.execute();
}

/**
 * The dashboard with this global id, among those that the actor sees. The actor enters its project.
 * @throws UserError 404, or 403 `project_role_needed`
 */
export async function getDashboard(
	db: Kysely<Tables>,
	actor: Pick<Actor, "principal" | "rights" | "enter" | "noteHidden">,
	identifier: string,
): Promise<DashboardRow> {
	const id = decodeGlobalId(identifier, "Dashboard");
	const row =
		id === undefined
			? undefined
			: await dashboards(db).selectAll("dashboards").where("dashboards.id", "=", id).executeTakeFirst();
	const isSeen = row !== undefined && isSeenBy(row, viewerOf(actor.principal));
	if (!isSeen || (row.project_id !== null && !enterSeen(actor, row.project_id))) throw dashboardNotFound(identifier);
	return row;
}

export function dashboardNotFound(identifier: string): UserError {
	return notFound("dashboard_not_found", `Dashboard with ID ${identifier.slice(0, 300)} not found`);
}

/** @throws UserError 403 for a key or program that is limited to some projects: one across projects is in none of them */
export function assertMayChangeAcross({ principal }: Pick<Actor, "principal">): void {
	if (homesOf(principal) !== undefined) throw keyLimited();
}

/** What is written of a dashboard. */
export interface DashboardColumns {
	readonly project_id: number | null;
	readonly name: string;
	readonly description: string | null;
	readonly visibility: Row["visibility"];
	readonly definition: string;
	readonly widget_count: number;
}

interface Written {
	/** Row number of the user; null for nobody. */
	readonly by: number | null;
	/** Microseconds since 1970. */
	readonly now: number;
}

/** @returns its row number @throws UserError 409 when there are too many */
export async function insertDashboard(
	transaction: Transaction<Tables>,
	columns: DashboardColumns,
	{ by, now }: Written,
): Promise<number> {
	const { count } = await transaction
		.selectFrom("dashboards")
		.select((of) => of.fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (Number(count) >= MOST_DASHBOARDS)
		throw new UserError(
			409,
			"too_many_dashboards",
			`There may be at most ${MOST_DASHBOARDS} dashboards; delete one first.`,
		);
	const { id } = await transaction
		.insertInto("dashboards")
		.values({ ...columns, owner_id: by, updated_by: by, created_at: now, updated_at: now })
		.returning("id")
		.executeTakeFirstOrThrow();
	return id;
}

export async function updateDashboard(
	transaction: Transaction<Tables>,
	before: DashboardRow,
	columns: DashboardColumns,
	{ by, now }: Written,
): Promise<void> {
	await transaction
		.updateTable("dashboards")
		.set({ ...columns, updated_by: by, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.execute();
}

export async function deleteDashboard(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction.deleteFrom("dashboards").where("id", "=", id).execute();
}
