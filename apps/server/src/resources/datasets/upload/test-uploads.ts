import type { Answer, TestApp } from "#test-app.ts";

const BOUNDARY = "a-boundary-of-tests";

interface TestFile {
	readonly content: string | Uint8Array;
	readonly type?: string;
	readonly encoding?: string;
}

/** A form as clients send it, the file after the fields. */
export function formOf(fields: readonly (readonly [name: string, value: string])[], file?: TestFile) {
	const parts: (string | Uint8Array)[] = fields.map(
		([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
	);
	if (file !== undefined) {
		const encoding = file.encoding === undefined ? "" : `Content-Encoding: ${file.encoding}\r\n`;
		parts.push(
			`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="examples.csv"\r\nContent-Type: ${file.type ?? "text/csv"}\r\n${encoding}\r\n`,
			file.content,
			"\r\n",
		);
	}
	parts.push(`--${BOUNDARY}--\r\n`);
	return {
		headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
		payload: Buffer.concat(parts.map((part) => Buffer.from(part))),
	};
}

/** Uploads a file. */
export async function uploadFile(
	{ app }: TestApp,
	fields: readonly (readonly [name: string, value: string])[],
	file: TestFile,
): Promise<Pick<Answer, "status" | "text" | "json">> {
	const { headers, payload } = formOf(fields, file);
	const response = await app.inject({ method: "POST", url: "/v1/datasets/upload?sync=true", headers, payload });
	return {
		status: response.statusCode,
		text: response.body,
		json: response.statusCode === 200 ? response.json() : undefined,
	};
}

/** Uploads JSON and answers what it did; the test fails when it is refused. */
export async function uploadJson(server: TestApp, body: object) {
	const { status, text, json } = await server.call("POST", "/v1/datasets/upload?sync=true", body);
	if (status !== 200) throw new Error(`the upload answered ${status}: ${text}`);
	const { dataset_id, version_id, ...counts } = json.data;
	const done = [counts.num_created_examples, counts.num_updated_examples, counts.num_deleted_examples];
	return { url: `/v1/datasets/${dataset_id}`, datasetId: dataset_id, versionId: version_id, done };
}

/** The examples of a dataset, or of one of its versions. */
export async function examplesOf(server: TestApp, url: string, query = "") {
	const { json } = await server.get(`${url}/examples${query}`);
	return json.data.examples;
}
