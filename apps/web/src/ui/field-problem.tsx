import type { ReactNode } from "react";

/** What is wrong with the field above it. */
export function FieldProblem({ text }: { text: string | undefined }): ReactNode {
	return (
		text !== undefined && (
			<span role="alert" className="text-danger text-sm">
				{text}
			</span>
		)
	);
}
