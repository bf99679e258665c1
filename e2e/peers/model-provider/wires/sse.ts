import type { JsonObject } from "../json.ts";

/** An event whose data says itself what it is. */
export function dataEvent(data: JsonObject): string {
	return `data: ${JSON.stringify(data)}\n\n`;
}

/** An event with a name, which is that of its data's type. */
export function namedEvent(data: JsonObject & { readonly type: string }): string {
	return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
