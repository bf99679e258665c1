import { dataTexts } from "../texts/data-en.ts";
import { api } from "./api.ts";

/** Makes a dataset without examples. */
export async function createDataset(name: string): Promise<{ id: string; name: string }> {
	const body = { name, inputs: [], action: "append" };
	const answer = await api.post("/v1/datasets/upload", { query: { sync: true }, body });
	if (!answer) throw new Error(dataTexts.addToDataset.notMade);
	return { id: answer.data.dataset_id, name };
}
