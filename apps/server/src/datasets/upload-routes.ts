import { z } from "zod";
import type { Context } from "../context.ts";
import type { App } from "../http/app-type.ts";
import { booleanParam } from "../http/query-params.ts";
import { readJsonUpload } from "./json-upload.ts";
import { ChangedVersion, UploadFileBody, UploadJsonBody } from "./schemas.ts";
import { toChange } from "./to-dataset.ts";
import { writeUpload } from "./write-upload.ts";

/** Checked piece by piece in the handler; only the documentation has its shape. */
function documented(schema: z.ZodType): z.ZodType {
	return z.unknown().meta({ ...z.toJSONSchema(schema, { io: "input" }), $schema: undefined });
}

/** Uploading whole datasets. */
export function uploadRoutes(app: App, context: Context): void {
	app.post(
		"/v1/datasets/upload",
		{
			config: { access: "write" },
			schema: {
				operationId: "uploadDataset",
				tags: ["datasets"],
				summary: "Create a dataset, add to it, or replace what it holds",
				querystring: z.object({
					sync: booleanParam
						.default(false)
						.describe("Answer with what was done. Either way it is done when the answer comes."),
				}),
				consumes: ["application/json", "multipart/form-data"],
				body: documented(z.union([UploadJsonBody, UploadFileBody])),
				response: { 200: z.object({ data: ChangedVersion }).nullable() },
			},
		},
		async (request) => {
			const { body, query, principal } = request;
			const upload = readJsonUpload(body);
			const { datasetId, versionId, counts } = await writeUpload(context, upload, principal);
			return query.sync ? { data: toChange(datasetId, versionId, counts) } : null;
		},
	);
}
