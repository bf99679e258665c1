import { ApiError } from "@spanward/client";
import { renewTokens } from "../../../auth/renew.ts";
import { needsRenewal, readStamp } from "../../../auth/renewal-stamp.ts";
import { endSession } from "../../../auth/session-end.ts";
import { api } from "../../../lib/api.ts";
import { config } from "../../../lib/config.ts";
import { type Column, columnFields } from "./columns.ts";
import type { ReadFile } from "./read-file.ts";

export type UploadAction = "create" | "append" | "update";

export interface Upload {
	readonly file: ReadFile;
	readonly columns: readonly Column[];
	readonly name: string;
	readonly description: string;
	readonly action: UploadAction;
	/** Where a new dataset is to live; `{}` for the library. */
	readonly home: { readonly project?: string };
}

export interface UploadResult {
	readonly dataset_id: string;
	readonly version_id: string;
	readonly num_created_examples: number;
	readonly num_updated_examples: number;
	readonly num_deleted_examples: number;
}

/**
 * Sends a file. Not with `fetch`, which does not report the progress of sending.
 * @param onProgress is called with the share that has been sent, 0–1
 * @throws ApiError, TypeError when there is no answer, AbortError
 */
export async function sendUpload(
	upload: Upload,
	onProgress: (share: number) => void,
	signal: AbortSignal,
): Promise<UploadResult> {
	if (config.auth.enabled && needsRenewal()) await renew();
	const response = await send(toForm(upload), onProgress, signal);
	if (response.status !== 401 || !config.auth.enabled) return read(response);
	await renew();
	return read(await send(toForm(upload), onProgress, signal));
}

async function renew(): Promise<void> {
	if ((await renewTokens(readStamp())) === "ended") await endSession();
}

function toForm({ file, columns, name, description, action, home }: Upload): FormData {
	const form = new FormData();
	form.append("name", name);
	form.append("action", action);
	if (home.project !== undefined) form.append("project", home.project);
	if (description !== "") form.append("description", description);
	for (const [field, value] of columnFields(columns)) form.append(field, value);
	const type = file.kind === "csv" ? "text/csv" : "application/jsonl";
	// Last, so that the server has the other fields when the rows arrive.
	form.append("file", new Blob([file.content], { type }), file.name);
	return form;
}

interface Answer {
	readonly status: number;
	readonly text: string;
	readonly requestId: string | undefined;
}

function send(form: FormData, onProgress: (share: number) => void, signal: AbortSignal): Promise<Answer> {
	return new Promise((resolve, reject) => {
		signal.throwIfAborted();
		const request = new XMLHttpRequest();
		request.open("POST", api.url("/v1/datasets/upload", { query: { sync: true } }));
		request.setRequestHeader("accept", "application/json, application/problem+json");
		request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
		request.onload = () =>
			resolve({
				status: request.status,
				text: request.responseText,
				requestId: request.getResponseHeader("x-request-id") ?? undefined,
			});
		request.onerror = () => reject(new TypeError("no answer"));
		signal.addEventListener("abort", () => {
			request.abort();
			reject(signal.reason);
		});
		request.send(form);
	});
}

function read({ status, text, requestId }: Answer): UploadResult {
	const body = toObject(text);
	if (status === 200) return body["data"] as UploadResult;
	const message = typeof body["detail"] === "string" ? body["detail"] : text.slice(0, 1_000);
	const code = typeof body["code"] === "string" ? body["code"] : `http_${status}`;
	throw new ApiError(status, code, message, { requestId });
}

function toObject(text: string): Readonly<Record<string, unknown>> {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
	} catch (error) {
		if (error instanceof SyntaxError) return {};
		throw error;
	}
}
