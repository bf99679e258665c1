import { isDeepStrictEqual } from "node:util";
import { NotFoundError, type PromptVersion, type PromptVersionDataInput, type Spanward } from "@spanward/client";
import { usageFailure } from "../failure.ts";
import { readGiven } from "../given-file.ts";
import type { Invocation } from "../invocation.ts";
import { membersOf } from "../ndjson.ts";
import { contentOf } from "./version.ts";

/** `spanward prompts push`: a version of a file, unless the newest one is the same. */
export async function pushPrompt(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const [name, path] = [invocation.argument(0), invocation.argument(1)];
	const version = parse(Buffer.from(await readGiven(invocation.io, path)).toString("utf8"), path);
	const description = invocation.value("description");
	const spanward = await invocation.connect();
	const latest = await findLatest(spanward, name);
	const content = contentOf(version as PromptVersion);
	const isSame = latest !== undefined && isDeepStrictEqual(comparable(contentOf(latest)), comparable(content));
	const pushed = isSame
		? latest
		: await spanward.prompts.create({
				prompt: { name },
				version: { ...content, ...(description !== undefined && { description }) },
			});
	for (const tag of invocation.values("tag")) await spanward.prompts.tag(pushed.id, { name: tag });
	if (terminal.isJson) await terminal.printJson({ id: pushed.id, is_new: !isSame });
	else terminal.note(isSame ? `Version ${pushed.id} says the same already.` : `Made version ${pushed.id}.`);
	return undefined;
}

async function findLatest({ prompts }: Spanward, name: string): Promise<PromptVersion | undefined> {
	try {
		return await prompts.get(name);
	} catch (error) {
		if (error instanceof NotFoundError) return undefined;
		throw error;
	}
}

function parse(text: string, path: string): Record<string, unknown> {
	try {
		const version = membersOf(JSON.parse(text));
		if (version !== undefined) return version;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
	throw usageFailure(`${path} is no version of a prompt, as spanward prompts pull writes it.`);
}

/** Without the description, and with texts as the parts that the server answers. */
function comparable({ description: _description, template, ...content }: PromptVersionDataInput): object {
	if (template?.type !== "chat") return { ...content, template };
	const messages = template.messages.map((message) =>
		typeof message.content === "string" ? { ...message, content: [{ type: "text", text: message.content }] } : message,
	);
	return { ...content, template: { ...template, messages } };
}
