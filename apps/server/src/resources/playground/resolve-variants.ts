import type { Kysely } from "kysely";
import type { z } from "zod";
import { type Issue, UserError, ValidationError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { fromJsonText, toJsonText } from "#http/json-values.ts";
import type { Home } from "#http/rights.ts";
import { toHome } from "#http/seen-homes.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { RenderedTooLong, renderMessages } from "#models/render-template.ts";
import { type GivenVariant, MAX_TOOLS, type VariantContent } from "#models/variant.ts";
import type { Tables } from "#storage/schema.ts";
import { fromDefinitionText } from "../prompts/definition.ts";
import { getVersion } from "../prompts/versions.ts";
import type { PlaygroundRunBody } from "./schemas.ts";

/** A variant as it is called. */
export interface ResolvedVariant {
	readonly connectionId: number;
	readonly label: string | null;
	readonly request: ModelRequest;
	/** Global id of the version whose messages these are. */
	readonly promptVersionId?: string;
}

export interface ResolvedVariants {
	readonly variants: readonly ResolvedVariant[];
	/** Where the prompts of named versions live. */
	readonly homes: ReadonlySet<Home>;
}

type Body = Pick<z.output<typeof PlaygroundRunBody>, "variants" | "variables">;
/** Whoever sees a prompt may run it. */
type Reader = Pick<Actor, "rights" | "enter" | "noteHidden">;

/**
 * The variants of a run with prompt versions read and variables filled in.
 * @throws UserError 404, 422 `missing_variables`, `template_too_long`
 * @throws ValidationError for a variant that lacks something
 */
export async function resolveVariants(
	db: Kysely<Tables>,
	reader: Reader,
	{ variants, variables = {} }: Body,
): Promise<ResolvedVariants> {
	const homes = new Set<Home>();
	const missing = new Set<string>();
	const resolved: ResolvedVariant[] = [];
	for (const [position, variant] of variants.entries()) {
		const { home, connectionId, label, model, content, promptVersionId } = await writeOut(
			db,
			reader,
			variant,
			position,
		);
		if (home !== undefined) homes.add(home);
		const rendered = render(content, variables);
		if ("missing" in rendered) {
			for (const name of rendered.missing) missing.add(name);
			continue;
		}
		resolved.push({
			...{ connectionId, label, request: { model, messages: rendered.messages, ...besideMessages(content) } },
			...(promptVersionId === undefined ? {} : { promptVersionId }),
		});
	}
	if (missing.size > 0) {
		const names = [...missing];
		throw new UserError(422, "missing_variables", `The messages need values for ${names.join(", ").slice(0, 1_000)}.`, {
			details: { variables: names },
		});
	}
	return { variants: resolved, homes };
}

/** A variant with everything that it names written out; its variables are open. */
export interface WrittenVariant {
	readonly connectionId: number;
	readonly label: string | null;
	readonly model: string;
	readonly content: VariantContent;
	/** Global id of the version whose messages these are, and where its prompt lives. */
	readonly promptVersionId?: string;
	readonly home?: Home;
}

/**
 * @param position among the variants of the body, for errors
 * @throws UserError 404
 * @throws ValidationError for a variant that lacks something
 */
export async function writeOut(
	db: Kysely<Tables>,
	reader: Reader,
	variant: GivenVariant,
	position: number,
): Promise<WrittenVariant> {
	const connection = await findConnection(db, variant.connection_id, position);
	const named = variant.prompt_version_id;
	const version = named === undefined ? undefined : await readVersion(db, reader, named);
	const content = version?.content ?? contentOf(variant);
	const model = variant.model ?? version?.model ?? connection.default_model;
	if (model === null) throw faulty(position, "model", "the connection has no default model: name one");
	if (content.messages.length === 0) throw faulty(position, "prompt_version_id", "the version has no messages");
	const { length: tools } = content.tools?.tools ?? [];
	if (tools > MAX_TOOLS) throw faulty(position, "prompt_version_id", `the version has more than ${MAX_TOOLS} tools`);
	return {
		...{ connectionId: connection.id, label: variant.label ?? null, model, content },
		...(version === undefined ? {} : { promptVersionId: version.id, home: version.home }),
	};
}

async function findConnection(db: Kysely<Tables>, globalId: string, position: number) {
	const id = decodeGlobalId(globalId, "ModelConnection");
	if (id === undefined) throw faulty(position, "connection_id", "it is not the id of a model connection");
	const query = db.selectFrom("model_connections").select(["id", "default_model"]).where("id", "=", id);
	const row = await query.executeTakeFirst();
	if (row === undefined) throw faulty(position, "connection_id", "there is no such model connection");
	return row;
}

async function readVersion(db: Kysely<Tables>, reader: Reader, globalId: string) {
	const row = await getVersion(db, reader, globalId);
	const query = db.selectFrom("prompts").select("project_id").where("id", "=", row.prompt_id);
	const prompt = await query.executeTakeFirst();
	const { template, template_format, ...others } = fromDefinitionText(row.definition);
	const content = { messages: template.messages, template_format, ...besideMessages(others) };
	return {
		id: encodeGlobalId("PromptVersion", row.id),
		home: toHome(prompt?.project_id ?? null),
		model: row.model_name,
		content,
	};
}

/** Integers beyond 2^53 as they are written; images, which have none, are not copied. */
function contentOf({ messages = [], template_format, ...others }: GivenVariant): VariantContent {
	return {
		messages: messages.map(({ role, content }) => ({
			role,
			content:
				typeof content === "string"
					? content
					: content.map((part) =>
							part.type === "tool_result" ? { ...part, tool_result: exact(part.tool_result) } : part,
						),
		})),
		...(template_format === undefined ? {} : { template_format }),
		...besideMessages(exact(others)),
	};
}

export function besideMessages({ invocation_parameters, tools, response_format }: Omit<VariantContent, "messages">) {
	return {
		...(invocation_parameters === undefined ? {} : { invocation_parameters }),
		...(tools === undefined ? {} : { tools }),
		...(response_format === undefined ? {} : { response_format }),
	};
}

function exact<T>(value: T): T {
	return fromJsonText(toJsonText(value)) as T;
}

function render(content: VariantContent, variables: Readonly<Record<string, unknown>>) {
	try {
		return renderMessages(content, variables);
	} catch (error) {
		if (error instanceof RenderedTooLong) throw new UserError(422, "template_too_long", error.message);
		throw error;
	}
}

function faulty(position: number, member: string, msg: string): ValidationError {
	const issue: Issue = { type: "value_error", loc: ["body", "variants", position, member], msg };
	return new ValidationError([issue]);
}
