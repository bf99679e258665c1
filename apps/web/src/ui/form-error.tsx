import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { errorText } from "./error-state.tsx";

/** Why a form was not accepted, when it is about no single field. */
export function FormError({ error }: { error: Error | null | undefined }): ReactNode {
	if (!error) return null;
	const { message, requestId } = errorText(error);
	return (
		<p role="alert" className="rounded bg-danger-soft px-3 py-2 text-danger [overflow-wrap:anywhere]">
			{message}
			{requestId && <span className="block font-mono text-sm">{texts.error.request(requestId)}</span>}
		</p>
	);
}
