import { dataTexts } from "../texts/data-en.ts";
import { api } from "./api.ts";

/** Makes a dataset without examples. @param home where it is to live; `{}` for the library */
export async function createDataset(
	name: string,
	home: { readonly project?: string },
): Promise<{ id: string; name: string }> {
	const body = { name, inputs: [], action: "append", ...home };
	const answer = await api.post("/v1/datasets/upload", { query: { sync: true }, body });
	if (!answer) throw new Error(dataTexts.addToDataset.notMade);
	return { id: answer.data.dataset_id, name };
}
