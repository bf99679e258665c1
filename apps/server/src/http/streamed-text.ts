import { z } from "zod";

/** An answer that is written as a stream of text. */
export const streamedText = z.unknown().meta({ type: "string" });
