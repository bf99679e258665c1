import { dataTexts } from "../texts/data-en.ts";
import { api } from "./api.ts";
import { config } from "./config.ts";

/**
 * Makes a dataset without examples: in the project that its examples will come from where that is restricted, else in the
 * library.
 * @param source name or id of that project
 */
export async function createDataset(name: string, source: string): Promise<{ id: string; name: string }> {
	const home = (await isRestricted(source)) ? { project: source } : {};
	const body = { name, inputs: [], action: "append", ...home };
	const answer = await api.post("/v1/datasets/upload", { query: { sync: true }, body });
	if (!answer) throw new Error(dataTexts.addToDataset.notMade);
	return { id: answer.data.dataset_id, name };
}

async function isRestricted(project: string): Promise<boolean> {
	if (!config.auth.enabled) return false;
	const path = { project_identifier: project };
	return (await api.get("/v1/projects/{project_identifier}/access", { path })).data.access === "restricted";
}
