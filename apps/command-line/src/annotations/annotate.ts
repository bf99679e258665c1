import { ApiError, type Spanward } from "@spanward/client";
import { EXIT, usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { type JsonLine, membersOf, readJsonLines } from "../ndjson.ts";

const TARGETS = ["span", "trace", "session"] as const;
const KINDS = ["HUMAN", "CODE", "LLM", "AGENT", "DECISION"] as const;
const BATCH = 500;
/** Lines that are named one by one. */
const MOST_NAMED = 20;

type Target = (typeof TARGETS)[number];

interface Annotation {
	readonly target: Target;
	readonly body: Readonly<Record<string, unknown>>;
	/** Where it comes from: a line of standard input. */
	readonly line?: number;
}

/** `spanward annotate`: one annotation of the arguments, or many of NDJSON on standard input. */
export async function annotate(invocation: Invocation): Promise<number | undefined> {
	const { positionals, io, terminal } = invocation;
	const spanward = await invocation.connect();
	if (positionals.length === 0) {
		if (io.stdin.isTTY) throw usageFailure("Name what to annotate, or give lines of JSON on standard input.");
		return await annotateLines(invocation, spanward);
	}
	const ids = await send(invocation, spanward, [ofArguments(invocation)]);
	if (terminal.isJson) for (const id of ids) await terminal.printJson({ id });
	else terminal.note("Annotated.");
	return undefined;
}

function ofArguments(invocation: Invocation): Annotation {
	const target = TARGETS.find((one) => one === invocation.argument(0));
	if (target === undefined) throw usageFailure(`The first argument is one of ${TARGETS.join(", ")}.`);
	const [name, label, score, explanation] = ["name", "label", "score", "explanation"].map((option) =>
		invocation.value(option),
	);
	if (name === undefined) throw usageFailure("--name is missing: what is said about it, such as correctness.");
	if (label === undefined && score === undefined && explanation === undefined)
		throw usageFailure("--label, --score or --explanation is missing.");
	if (score !== undefined && !Number.isFinite(Number(score || "none"))) throw usageFailure("--score takes a number.");
	const identifier = invocation.value("identifier");
	return {
		target,
		body: {
			[`${target}_id`]: invocation.argument(1),
			name,
			annotator_kind: invocation.choice("kind", KINDS) ?? "HUMAN",
			result: {
				...(label !== undefined && { label }),
				...(score !== undefined && { score: Number(score) }),
				...(explanation !== undefined && { explanation }),
			},
			...(identifier !== undefined && { identifier }),
		},
	};
}

async function annotateLines(invocation: Invocation, spanward: Spanward): Promise<number | undefined> {
	const { io, terminal } = invocation;
	let stored = 0;
	let failed = 0;
	const refuse = (line: number | undefined, reason: string) => {
		failed += 1;
		if (failed <= MOST_NAMED) io.stderr.write(`Line ${line} ${terminal.oneLine(reason)}\n`);
	};
	let batch: Annotation[] = [];
	const flush = async () => {
		const given = batch;
		batch = [];
		for (const target of TARGETS) {
			const those = given.filter((one) => one.target === target);
			if (those.length === 0) continue;
			stored += await sendEach(invocation, spanward, those, refuse);
			terminal.progress(`${stored} annotations`);
		}
	};
	for await (const line of readJsonLines(io.stdin)) {
		const annotation = ofLine(line);
		if (typeof annotation === "string") refuse(line.number, annotation);
		else batch.push(annotation);
		if (batch.length >= BATCH) await flush();
	}
	await flush();
	if (failed > MOST_NAMED) io.stderr.write(`… and ${failed - MOST_NAMED} more lines.\n`);
	if (terminal.isJson) await terminal.printJson({ stored, failed });
	else terminal.note(`Stored ${stored} annotations${failed > 0 ? `; ${failed} lines were not stored` : ""}.`);
	return failed > 0 ? EXIT.condition : undefined;
}

/** What a line means; a text that says what is wrong with it. */
function ofLine({ number, value, error }: JsonLine): Annotation | string {
	if (error !== undefined) return error;
	const members = membersOf(value);
	const target = TARGETS.find((one) => typeof members?.[`${one}_id`] === "string");
	if (members === undefined || target === undefined) return "has no span_id, trace_id or session_id.";
	const { label, score, explanation, annotator_kind: kind = "HUMAN", ...rest } = members;
	const result = {
		...membersOf(rest["result"]),
		...(label !== undefined && { label }),
		...(score !== undefined && { score }),
		...(explanation !== undefined && { explanation }),
	};
	return { target, line: number, body: { ...rest, annotator_kind: kind, result } };
}

/** Sends them together; when one is refused, each by itself, so that the others are stored. @returns how many were */
async function sendEach(
	invocation: Invocation,
	spanward: Spanward,
	annotations: readonly Annotation[],
	refuse: (line: number | undefined, reason: string) => void,
): Promise<number> {
	try {
		return (await send(invocation, spanward, annotations)).length;
	} catch (error) {
		// A key that may not annotate, or a server with too much to do, is no matter of a line.
		if (!(error instanceof ApiError) || ![404, 409, 422].includes(error.status)) throw error;
		const [only] = annotations;
		if (annotations.length === 1) {
			const issues = error.issues.map(({ loc, msg }) => `${loc.slice(3).join(".")}: ${msg}`);
			refuse(only?.line, `is refused: ${issues.join("; ") || error.message}`);
			return 0;
		}
		const middle = Math.ceil(annotations.length / 2);
		return (
			(await sendEach(invocation, spanward, annotations.slice(0, middle), refuse)) +
			(await sendEach(invocation, spanward, annotations.slice(middle), refuse))
		);
	}
}

/** @param annotations of one kind of target @returns the ids */
async function send(invocation: Invocation, spanward: Spanward, annotations: readonly Annotation[]): Promise<string[]> {
	const [first] = annotations;
	if (first === undefined) return [];
	const project = invocation.value("project");
	const query = new URLSearchParams({ sync: "true", ...(project !== undefined && { project }) });
	const response = await spanward.api.fetch(`/v1/${first.target}_annotations?${query}`, {
		method: "POST",
		headers: { "content-type": "application/json", accept: "application/json, application/problem+json" },
		body: JSON.stringify({ data: annotations.map(({ body }) => body) }),
	});
	const { data }: { data: { id: string }[] } = await response.json();
	return data.map(({ id }) => id);
}
