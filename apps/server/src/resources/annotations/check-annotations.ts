import { UserError } from "#base/errors.ts";
import type { AnnotationKind } from "./kinds.ts";
import type { NewAnnotation } from "./schemas.ts";

/** @throws UserError 400 for the reserved name of notes, 422 for members that annotations of documents do not have */
export function checkAnnotations({ target }: AnnotationKind, items: readonly NewAnnotation[]): void {
	for (const { name, identifier } of items) {
		if (name === "note") {
			const notes = target === "document" ? "span" : target;
			throw new UserError(
				400,
				"reserved_name",
				`The name 'note' is reserved for trace and span notes. Use POST /v1/${notes}_notes instead.`,
			);
		}
		if (target === "document" && identifier !== "") {
			throw new UserError(
				422,
				"identifier_unsupported",
				`Non-empty identifier '${identifier.slice(0, 100)}' is not supported`,
			);
		}
	}
}
