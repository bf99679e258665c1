import { z } from "zod";
import { senderOf } from "#access/rights/sender-rights.ts";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { parsePart } from "#http/validation.ts";
import { apiKeyOf } from "#ingest/api-key-of.ts";
import type { ExportAnswer } from "#ingest/ingest.ts";
import { MAX_SENT_ID, storedSpanId, storedTraceId } from "#storage/traces/sent-ids/sent-ids.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { findProjectByName, getProject } from "../projects/queries.ts";
import { projectName } from "../projects/schemas.ts";
import { CreateSpansAnswer, CreateSpansBody, type NewSpan } from "./create-schemas.ts";
import { encodeNewSpansInTurns, sentIdsOf } from "./create-spans.ts";

interface SpanRef {
	readonly span_id: string;
	readonly trace_id: string;
}

export function createSpansRoutes(app: App, { auth, db, ingest, sentIds, now }: Context): void {
	app.post(
		"/v1/projects/:project_identifier/spans",
		{
			config: { access: "write", home: "project", body: "large" },
			schema: {
				operationId: "createSpans",
				tags: ["spans"],
				summary: "Create spans, all or none; they are stored when the answer comes",
				params: z.object({ project_identifier: z.string().max(2_000) }),
				body: CreateSpansBody,
				response: { 202: CreateSpansAnswer },
			},
		},
		async ({ actor, params, body }, reply) => {
			await auth.keyUses.admitSpans(actor.principal);
			const identifier = params.project_identifier;
			const isKnown =
				decodeGlobalId(identifier, "Project") !== undefined ||
				(await findProjectByName(db.read, identifier)) !== undefined;
			const project = isKnown ? await getProject(db.read, actor, identifier) : undefined;
			if (project === undefined) checkName(identifier);
			const invalid = body.data.flatMap(findFault);
			const duplicates = [...findRepeated(body.data)];
			if (project !== undefined && invalid.length === 0) {
				duplicates.push(...(await findStored(actor.traces, project.id, body.data)));
			}
			if (invalid.length > 0 || duplicates.length > 0) throw refused(body.data.length, duplicates, invalid);
			if (body.data.length > 0) {
				const encoded = await encodeNewSpansInTurns(body.data);
				await sentIds.remember(sentIdsOf(body.data), now());
				const answer = await ingest.submit({
					sender: await senderOf(actor, auth.rights),
					signal: "traces",
					format: "protobuf",
					encoding: "identity",
					body: encoded,
					projectName: project?.name ?? identifier,
					...apiKeyOf(actor.principal),
				});
				auth.keyUses.countSpans(actor.principal, answer.accepted);
				checkAnswer(answer, body.data.length);
			}
			return reply.code(202).send({ total_received: body.data.length, total_queued: body.data.length });
		},
	);

	async function findStored(traces: TraceReader, projectId: number, spans: readonly NewSpan[]): Promise<SpanRef[]> {
		const ids = spans.map(({ context }) => ({
			traceId: context.trace_id,
			spanId: context.span_id,
		}));
		const found = await traces.findExistingSpans(projectId, ids);
		return found.map(({ traceId, spanId }) => ({ span_id: spanId, trace_id: traceId }));
	}
}

/** @throws ValidationError when no project can have this name */
function checkName(identifier: string): void {
	const { error } = parsePart(z.object({ project_identifier: projectName }), "path", {
		project_identifier: identifier,
	});
	if (error !== undefined) throw error;
}

/** What is wrong with an id. Lists and paths accept global ids too, so an id that parses as one would never be found. */
function faultOf(text: string, type: "Trace" | "Span"): string | undefined {
	if (text === "" || text.length > MAX_SENT_ID) return `has to be a text of 1 to ${MAX_SENT_ID} characters`;
	if (text.includes("\0") || !text.isWellFormed()) return "has to be without NUL and halves of surrogate pairs";
	return decodeGlobalId(text, type) === undefined ? undefined : "reads as a global id of this server";
}

function findFault({ context, parent_id }: NewSpan): (SpanRef & { error: string })[] {
	const ids: readonly (readonly [name: string, fault: string | undefined])[] = [
		["trace_id", faultOf(context.trace_id, "Trace")],
		["span_id", faultOf(context.span_id, "Span")],
		["parent_id", parent_id ? faultOf(parent_id, "Span") : undefined],
	];
	const [name, fault] = ids.find(([, each]) => each !== undefined) ?? [];
	return fault === undefined ? [] : [{ ...context, error: `${name} ${fault}` }];
}

/** Spans whose ids occur earlier in the request. */
function* findRepeated(spans: readonly NewSpan[]): Generator<SpanRef> {
	const seen = new Set<string>();
	for (const { context } of spans) {
		const key = `${storedTraceId(context.trace_id)} ${storedSpanId(context.span_id)}`;
		if (seen.has(key)) yield { span_id: context.span_id, trace_id: context.trace_id };
		seen.add(key);
	}
}

function refused(total: number, duplicates: readonly SpanRef[], invalid: readonly SpanRef[]): UserError {
	const message = "Request contains invalid or duplicate spans";
	return new UserError(400, "invalid_spans", message, {
		report: {
			error: message,
			total_received: total,
			total_queued: 0,
			total_duplicates: duplicates.length,
			total_invalid: invalid.length,
			duplicate_spans: duplicates,
			invalid_spans: invalid,
		},
	});
}

/** Refusals of exports for which REST has 507. */
const FULL: ReadonlySet<string> = new Set([
	"storage_full",
	"storage_read_only",
	"storage_failing",
	"storage_over_limit",
]);

function checkAnswer(answer: ExportAnswer, total: number): void {
	if (answer.status === 200 && answer.rejected === 0) return;
	if (answer.status === 200) {
		const message = `${answer.rejected} of ${total} spans were rejected: ${answer.rejectedMessage}`;
		throw new UserError(400, "rejected_spans", message, {
			report: {
				error: message,
				total_received: total,
				total_queued: answer.accepted,
				total_duplicates: 0,
				total_invalid: answer.rejected,
				duplicate_spans: [],
				invalid_spans: [],
			},
		});
	}
	const full = FULL.has(answer.reason ?? "");
	throw new UserError(
		full ? 507 : answer.status,
		answer.reason ?? "not_stored",
		answer.message,
		answer.retryAfter === undefined ? {} : { retryAfter: answer.retryAfter },
	);
}
