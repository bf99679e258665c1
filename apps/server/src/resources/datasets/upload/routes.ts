import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { callerOf } from "#http/principal.ts";
import { booleanParam, textParam } from "#http/query-params.ts";
import { endConnection } from "#http/refused-uploads.ts";
import { ChangedVersion, UploadFileBody, UploadJsonBody } from "../schemas.ts";
import { toChange } from "../to-dataset.ts";
import { readFileUpload } from "./file-upload.ts";
import { readJsonUpload } from "./json-upload.ts";
import { type ReceivedForm, receiveForm } from "./receive-form.ts";
import { invalid, type Upload, uploadTooLarge } from "./uploaded-rows.ts";
import { writeUpload } from "./write-upload.ts";

/** Forms at a time, from their first byte to the answer: each may hold a large file on the disk. */
const MAX_FORMS = 8;
/** Forms at a time from one caller, who may send slowly. */
const MAX_FORMS_OF_ONE = 4;

/** A schema for the API reference only: the handler checks the body itself. */
function documented(schema: z.ZodType): z.ZodType {
	return z.unknown().meta({ ...z.toJSONSchema(schema, { io: "input" }), $schema: undefined });
}

/** Uploading whole datasets. */
export function uploadRoutes(app: App, context: Context): void {
	void app.register(async (scope: App) => {
		const forms = takeForms(scope, context);

		scope.post(
			"/v1/datasets/upload",
			{
				config: { access: "write", home: "content", body: "large" },
				schema: {
					operationId: "uploadDataset",
					tags: ["datasets"],
					summary: "Create a dataset, add to it, or replace its contents",
					consumes: ["application/json", "multipart/form-data"],
					querystring: z.object({
						sync: booleanParam
							.default(false)
							.describe("Answer with the result. Either way, everything is stored when the answer comes."),
						project: textParam
							.optional()
							.describe("Where a new dataset is to live, unless the body says so; `library` for the library."),
						allow_wider_access: booleanParam.optional(),
					}),
					body: documented(z.union([UploadJsonBody, UploadFileBody])),
					response: { 200: z.object({ data: ChangedVersion }).nullable() },
				},
			},
			async (request) => {
				const { body, headers, query } = request;
				if (headers["content-type"] === undefined) throw contentTypeMissing();
				const write = async (read: Upload) => {
					const { project = query.project, isWiderAllowed = query.allow_wider_access } = read;
					const upload = { ...read, project, isWiderAllowed };
					const { datasetId, versionId, counts } = await writeUpload(context, upload, request);
					return query.sync ? { data: toChange(datasetId, versionId, counts) } : null;
				};
				const form = forms.get(request);
				if (form === undefined) return await write(readJsonUpload(body));
				forms.delete(request);
				await using received = form;
				return await write(readFileUpload(received, context.config.SERVICE_MAX_UPLOAD_BYTES));
			},
		);
	});
}

/** Receives the forms of this scope's routes; forms that no handler removes from the map are closed with the answer. */
function takeForms(scope: App, { config, log }: Context): Map<FastifyRequest, ReceivedForm> {
	const folder = join(config.SERVICE_WORKING_DIR, "uploads");
	const maxBytes = config.SERVICE_MAX_UPLOAD_BYTES;
	const forms = new Map<FastifyRequest, ReceivedForm>();
	const arriving = new Set<FastifyRequest>();
	const ends = new WeakMap<FastifyRequest, AbortController>();

	scope.addHook("onRequest", async (request, reply) => {
		const { socket } = request.raw;
		const ended = new AbortController();
		ends.set(request, ended);
		const end = () => {
			socket.off("close", end);
			ended.abort();
			arriving.delete(request);
			const form = forms.get(request);
			forms.delete(request);
			form?.close().catch((error: unknown) => log.error({ err: error }, "an upload was not closed"));
		};
		reply.raw.once("close", end);
		// A reply queued behind another one on its connection emits no "close" when the connection closes.
		socket.once("close", end);
		if (socket.destroyed) end();
	});
	scope.addHook("onSend", async (request, reply) => {
		if (!request.raw.complete && isForm(request)) endConnection(request, reply);
	});
	scope.addContentTypeParser("multipart/form-data", async (request: FastifyRequest, payload: FastifyRequest["raw"]) => {
		const { headers } = request;
		if (Number(headers["content-length"] ?? 0) > maxBytes) throw uploadTooLarge();
		const { principal } = request;
		const caller = callerOf(principal);
		const own = [...arriving].filter((other) => callerOf(other.principal) === caller);
		if (arriving.size >= MAX_FORMS || (principal.kind !== "anonymous" && own.length >= MAX_FORMS_OF_ONE)) {
			throw new UserError(429, "too_many_uploads", "Too many requests.", { retryAfter: 5 });
		}
		const hungUp = ends.get(request)?.signal ?? AbortSignal.abort();
		if (hungUp.aborted) throw brokenOff();
		arriving.add(request);
		const form = await receiveForm(payload, headers["content-type"] ?? "", { folder, maxBytes, hungUp });
		// If the sender has hung up, `end` has already run and will not close this form.
		if (hungUp.aborted) {
			await form.close();
			throw brokenOff();
		}
		forms.set(request, form);
		// The body for recognizing repeated requests.
		return form.digest;
	});
	scope.addContentTypeParser("*", async ({ headers }: FastifyRequest) => {
		if (headers["content-type"] === undefined) throw contentTypeMissing();
		throw invalid("Invalid request Content-Type");
	});
	return forms;
}

function isForm({ headers }: FastifyRequest): boolean {
	return headers["content-type"]?.trimStart().toLowerCase().startsWith("multipart/form-data") === true;
}

function brokenOff(): UserError {
	return invalid("The form broke off");
}

function contentTypeMissing(): UserError {
	return new UserError(400, "content_type_missing", "The request has no Content-Type.");
}
