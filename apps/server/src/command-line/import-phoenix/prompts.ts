import { UserError } from "#base/errors.ts";
import { identifierName } from "#http/identifier-names.ts";
import { toDefinitionText } from "#resources/prompts/definition.ts";
import { PromptVersionData } from "#resources/prompts/schemas.ts";
import { insertVersion } from "#resources/prompts/versions.ts";
import { readTable, type SourceRow } from "./source.ts";
import type { Import } from "./target.ts";
import { jsonOf, microsOf, objectTextOf, textOf } from "./values.ts";

const VERSION_COLUMNS = [
	...["description", "user_id", "template_type", "template_format", "template", "invocation_parameters", "tools"],
	...["response_format", "model_provider", "model_name", "metadata", "created_at", "custom_provider_id"],
];

const MAX_DESCRIPTION = 10_000;

/** Imports prompts with all versions and tags. One with the name of an existing prompt is left out. */
export async function importPrompts(job: Import): Promise<void> {
	const { source, storage, report } = job;
	const columns = ["name", "description", "metadata", "source_prompt_id", "created_at", "updated_at"];
	const byId = new Map<number, number>();
	for await (const rows of readTable(source, "prompts", columns)) {
		for (const row of rows) {
			report.count("prompts", 1, 0);
			const name = programNameOf(row["name"]);
			if (name === undefined) {
				report.leave("prompts with an invalid name");
				continue;
			}
			const versions = await readVersions(job, Number(row["id"]), name);
			if (versions.length === 0) {
				report.leave(`prompt ${name}: it has no version that Spanward can keep`);
				continue;
			}
			const created = await storage.db.write(async (transaction) => {
				const prompt = await transaction
					.insertInto("prompts")
					.values({
						name,
						description: report.textOf(row["description"], MAX_DESCRIPTION),
						source_prompt_id: byId.get(Number(row["source_prompt_id"])) ?? null,
						metadata: objectTextOf(row["metadata"]),
						created_at: microsOf(row["created_at"]),
						updated_at: microsOf(row["updated_at"]),
					})
					.onConflict((conflict) => conflict.column("name").doNothing())
					.returning("id")
					.executeTakeFirst();
				if (prompt === undefined) return undefined;
				for (const { version, tags } of versions) {
					const versionId = await insertVersion(transaction, { ...version, prompt_id: prompt.id });
					for (const tag of tags)
						await transaction
							.insertInto("prompt_version_tags")
							.values({ ...tag, prompt_id: prompt.id, version_id: versionId })
							.onConflict((conflict) => conflict.doNothing())
							.execute();
				}
				return prompt.id;
			});
			if (created === undefined) continue;
			byId.set(Number(row["id"]), created);
			report.count("prompts", 0, 1);
			report.count("prompt versions", versions.length, versions.length);
		}
	}
}

async function readVersions({ source, report, users }: Import, promptId: number, name: string) {
	const tags = new Map<number, { name: string; description: string | null }[]>();
	const ofPrompt = { where: "prompt_id = ?", parameters: [promptId] };
	for await (const rows of readTable(
		source,
		"prompt_version_tags",
		["name", "description", "prompt_version_id"],
		ofPrompt,
	))
		for (const row of rows) {
			const id = Number(row["prompt_version_id"]);
			const tag = programNameOf(row["name"]);
			if (tag === undefined) report.leave("prompt tags with an invalid name");
			else {
				const description = report.textOf(row["description"], MAX_DESCRIPTION);
				tags.set(id, [...(tags.get(id) ?? []), { name: tag, description }]);
			}
		}
	const versions = [];
	for await (const rows of readTable(source, "prompt_versions", VERSION_COLUMNS, { ...ofPrompt, step: 50 })) {
		for (const row of rows) {
			const version = toVersion(row, users);
			if (version === undefined)
				report.leave(`versions of the prompt ${name} whose template, parameters or provider Spanward does not know`);
			else versions.push({ version, tags: tags.get(Number(row["id"])) ?? [] });
		}
	}
	return versions;
}

function programNameOf(value: SourceRow[string] | undefined): string | undefined {
	const parsed = identifierName.safeParse(value);
	return parsed.success ? parsed.data : undefined;
}

function toVersion(row: SourceRow, users: ReadonlyMap<number, number>) {
	const json = (column: string) => {
		const text = textOf(row[column]);
		return text === null ? null : jsonOf(text);
	};
	const metadata = json("metadata");
	const parsed = PromptVersionData.safeParse({
		description: textOf(row["description"]),
		metadata: metadata ?? {},
		model_provider: row["model_provider"],
		model_name: row["model_name"],
		template: json("template"),
		template_type: row["template_type"],
		template_format: row["template_format"],
		invocation_parameters: json("invocation_parameters"),
		tools: json("tools"),
		response_format: json("response_format"),
	});
	if (!parsed.success) return undefined;
	try {
		return {
			description: parsed.data.description ?? null,
			metadata: parsed.data.metadata ?? "{}",
			model_provider: parsed.data.model_provider,
			model_name: parsed.data.model_name,
			definition: toDefinitionText(parsed.data),
			user_id: users.get(Number(row["user_id"])) ?? null,
			created_at: microsOf(row["created_at"]),
		};
	} catch (error) {
		if (error instanceof UserError) return undefined;
		throw error;
	}
}
