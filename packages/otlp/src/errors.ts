/** The input is no OTLP message; the error's message is a sentence for the sender. */
export class OtlpDecodeError extends Error {
	override readonly name = "OtlpDecodeError";
}
