import { type Kysely, sql } from "kysely";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { jsonListOf } from "#storage/sql-pieces.ts";

interface Listed {
	readonly version_count: number;
	readonly latest_version: { id: string; model_name: string; created_at: string; user_id: string | null } | null;
	readonly tags: string[];
}

/** The fields that lists show in addition to a prompt's own, by row number. */
export async function describeListed(
	db: Kysely<Tables>,
	promptIds: readonly number[],
): Promise<(promptId: number) => Listed> {
	const ids = listed(promptIds);
	const rows = await db
		.selectFrom("prompt_versions as version")
		.innerJoin(
			({ selectFrom }) =>
				selectFrom("prompt_versions")
					.where("prompt_id", "in", ids)
					.groupBy("prompt_id")
					.select(({ fn }) => [fn.max("id").as("latest_id"), fn.countAll<number>().as("version_count")])
					.as("counted"),
			(join) => join.onRef("counted.latest_id", "=", "version.id"),
		)
		.select(["version.id", "prompt_id", "model_name", "created_at", "user_id", "version_count"])
		.select(
			sql<string>`(
				select ${jsonListOf(sql`name`)}
				from (select name from prompt_version_tags as tag where tag.prompt_id = version.prompt_id order by name) as tags
			)`.as("tags"),
		)
		.execute();
	const byPrompt = new Map(rows.map((row) => [row.prompt_id, row]));
	return (promptId) => {
		const row = byPrompt.get(promptId);
		if (row === undefined) return { version_count: 0, latest_version: null, tags: [] };
		return {
			version_count: row.version_count,
			latest_version: {
				id: encodeGlobalId("PromptVersion", row.id),
				model_name: row.model_name,
				created_at: formatTime(row.created_at),
				user_id: row.user_id === null ? null : encodeGlobalId("User", row.user_id),
			},
			tags: JSON.parse(row.tags) as string[],
		};
	};
}
