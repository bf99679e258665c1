/** The bytes or text are no OTLP message; the message is a sentence for the sender. */
export class OtlpDecodeError extends Error {
	override readonly name = "OtlpDecodeError";
}
