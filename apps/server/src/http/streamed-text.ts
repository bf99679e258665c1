import type { Readable } from "node:stream";
import { z } from "zod";

/** An answer that is written as a stream of text. */
export const streamedText = z.unknown().meta({ type: "string" });

/** An answer of this schema that a handler may also write as a stream of JSON text. */
export function orStreamed<T extends z.ZodType>(schema: T): z.ZodType<z.output<T> | Readable, z.input<T>> {
	return schema as z.ZodType<z.output<T> | Readable, z.input<T>>;
}
