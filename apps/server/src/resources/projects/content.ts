import type { Kysely } from "kysely";
import { UserError } from "#base/errors.ts";
import type { Tables } from "#storage/schema.ts";

/**
 * Refuses to delete a project in which datasets or prompts live.
 * @throws UserError 409 `project_has_content`
 */
export async function assertWithoutContent(db: Kysely<Tables>, projectId: number): Promise<void> {
	const count = async (table: "datasets" | "prompts") => {
		const query = db.selectFrom(table).where("project_id", "=", projectId);
		const { rows } = await query.select(({ fn }) => fn.countAll<number>().as("rows")).executeTakeFirstOrThrow();
		return rows;
	};
	const [datasets, prompts] = [await count("datasets"), await count("prompts")];
	if (datasets + prompts === 0) return;
	// Those of which the deletion goes on in the background count as well.
	throw new UserError(
		409,
		"project_has_content",
		`${numberOf(datasets, "dataset")} and ${numberOf(prompts, "prompt")} live in this project: move them to another one, or delete them, and wait until that is done.`,
		{ details: { datasets, prompts } },
	);
}

function numberOf(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
