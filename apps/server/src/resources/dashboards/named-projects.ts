import type { Kysely } from "kysely";
import { type Issue, ValidationError } from "#base/errors.ts";
import type { Rights } from "#http/rights.ts";
import type { Tables } from "#storage/schema.ts";
import type { DashboardContent } from "./schemas.ts";

/**
 * Projects that widgets name. Those that somebody does not see are neither shown to them nor lost when they save: for them
 * the widget is about the others.
 */

type Widgets = DashboardContent["widgets"];

/** Row numbers by name, of those that exist. */
export type ProjectsByName = ReadonlyMap<string, number>;

export async function findNamedProjects(
	db: Kysely<Tables>,
	...all: readonly { readonly widgets: Widgets }[]
): Promise<ProjectsByName> {
	const names = [...new Set(all.flatMap(({ widgets }) => widgets.flatMap((widget) => namesOf(widget) ?? [])))];
	if (names.length === 0) return new Map();
	const rows = await db.selectFrom("projects").select(["id", "name"]).where("name", "in", names).execute();
	return new Map(rows.map(({ id, name }) => [name, id]));
}

/** The names that a widget has; undefined where it is about whatever its reader sees. */
function namesOf({ query }: Widgets[number]): readonly string[] | undefined {
	const names = query?.["projects"];
	return Array.isArray(names) ? names.map(String) : undefined;
}

function withNames(widget: Widgets[number], names: readonly string[]): Widgets[number] {
	return { ...widget, query: { ...widget.query, projects: [...names] } };
}

/** @throws ValidationError for a name of no project, or of one that is not seen: the same for both */
export function assertSeenProjects({ widgets }: { widgets: Widgets }, known: ProjectsByName, rights: Rights): void {
	const issues: Issue[] = widgets.flatMap((widget, at) =>
		(namesOf(widget) ?? []).flatMap((name, index) =>
			isSeen(name, known, rights)
				? []
				: {
						type: "unknown_project",
						loc: ["body", "widgets", at, "query", "projects", index],
						msg: "Input should be the name of a project",
						input: name.slice(0, 200),
					},
		),
	);
	if (issues.length > 0) throw new ValidationError(issues);
}

/** As somebody with these rights is shown it. */
export function withSeenProjects<T extends { readonly widgets: Widgets }>(
	content: T,
	known: ProjectsByName,
	rights: Rights,
): T {
	const widgets = content.widgets.map((widget) => {
		const names = namesOf(widget);
		return names === undefined
			? widget
			: withNames(
					widget,
					names.filter((name) => isSeen(name, known, rights)),
				);
	});
	return { ...content, widgets };
}

/** Adds the projects that a widget had and that who saves it does not see. */
export function withHiddenProjects<T extends { readonly widgets: Widgets }>(
	content: T,
	before: { readonly widgets: Widgets },
	known: ProjectsByName,
	rights: Rights,
): T {
	const hidden = new Map(
		before.widgets.map((widget) => [
			widget.key,
			(namesOf(widget) ?? []).filter((name) => known.has(name) && !isSeen(name, known, rights)),
		]),
	);
	const widgets = content.widgets.map((widget) => {
		const [names, more] = [namesOf(widget), hidden.get(widget.key) ?? []];
		return names === undefined || more.length === 0 ? widget : withNames(widget, [...names, ...more]);
	});
	return { ...content, widgets };
}

function isSeen(name: string, known: ProjectsByName, rights: Rights): boolean {
	const id = known.get(name);
	return id !== undefined && rights.roleAt(id) !== undefined;
}
