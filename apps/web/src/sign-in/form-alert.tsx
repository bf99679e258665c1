import type { ReactNode } from "react";
import type { Refusal } from "./requests.ts";

/** The error of a form. Always rendered, so that screen readers notice when its text appears. */
export function FormAlert({ id, refusal }: { id: string; refusal: Refusal | string | undefined }): ReactNode {
	const text = typeof refusal === "string" ? refusal : refusal?.text;
	const issues = typeof refusal === "object" ? refusal.issues : [];
	return (
		<div id={id} role="alert">
			{text !== undefined && (
				<div className="rounded bg-danger-soft px-3 py-2 text-danger [overflow-wrap:anywhere]">
					<p>{text}</p>
					{issues.length > 0 && (
						<ul className="mt-1 list-disc pl-5">
							{issues.map((issue) => (
								<li key={issue}>{issue}</li>
							))}
						</ul>
					)}
				</div>
			)}
		</div>
	);
}
