import type { Kysely, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { homesOf } from "#http/principal.ts";
import { type Tables, VIEW_PAGES, type ViewPage } from "#storage/schema.ts";
import { getView, type Visitor } from "./queries.ts";

/** The global id of the view that a page of the project opens with, by page; null for none. */
export type DefaultViewIds = Record<ViewPage, string | null>;

/** Those that the visitor sees: views of every project are not there for who reaches some projects only. */
export async function findDefaultViews(
	db: Kysely<Tables>,
	{ principal }: Pick<Visitor, "principal">,
	projectId: number,
): Promise<DefaultViewIds> {
	let query = db
		.selectFrom("default_views")
		.innerJoin("saved_views", "saved_views.id", "default_views.view_id")
		.select(["default_views.page", "default_views.view_id"])
		.where("default_views.project_id", "=", projectId)
		.where("saved_views.private_to", "is", null);
	if (homesOf(principal) !== undefined) query = query.where("saved_views.project_id", "is not", null);
	const found = new Map((await query.execute()).map((row) => [row.page, encodeGlobalId("View", row.view_id)]));
	return Object.fromEntries(VIEW_PAGES.map((page) => [page, found.get(page) ?? null])) as DefaultViewIds;
}

/**
 * Sets, or with null takes away, the views that pages of a project open with; pages that are not named keep theirs.
 * @throws UserError 404 for a view that is not seen; 422 for one that is private, of another page or of another project
 */
export async function setDefaultViews(
	transaction: Transaction<Tables>,
	visitor: Visitor,
	projectId: number,
	ids: Readonly<Partial<Record<ViewPage, string | null | undefined>>>,
): Promise<void> {
	for (const page of VIEW_PAGES) {
		const id = ids[page];
		if (id === undefined) continue;
		const view = id === null ? undefined : await getView(transaction, visitor, id);
		if (view !== undefined) {
			if (view.private_to !== null) throw refuse(`The view "${view.name}" is private; share it before.`);
			if (view.page !== page) throw refuse(`The view "${view.name}" is one of ${view.page}, not of ${page}.`);
			if (view.project_id !== null && view.project_id !== projectId)
				throw refuse(`The view "${view.name}" is one of another project.`);
		}
		await transaction
			.deleteFrom("default_views")
			.where("project_id", "=", projectId)
			.where("page", "=", page)
			.execute();
		if (view !== undefined)
			await transaction.insertInto("default_views").values({ project_id: projectId, page, view_id: view.id }).execute();
	}
}

function refuse(message: string): UserError {
	return new UserError(422, "unfit_default_view", message);
}
