import { ApiError } from "@spanward/client";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";

/** A failed request in words: what happened, what to do, an id for the log. */
export function errorText(error: Error): { message: string; requestId?: string | undefined } {
	if (error instanceof ApiError) {
		return { message: error.message || texts.error.status(error.status), requestId: error.requestId };
	}
	return error instanceof TypeError ? { message: texts.error.offline } : { message: error.message };
}

export function ErrorState({ error, onRetry }: { error: Error; onRetry?: () => void }): ReactNode {
	const { message, requestId } = errorText(error);
	return (
		<div role="alert">
			<EmptyState
				icon={<TriangleAlert size={24} aria-hidden className="text-danger" />}
				title={texts.error.title}
				text={message}
				actions={onRetry && <Button onClick={onRetry}>{texts.action.retry}</Button>}
			>
				{requestId && <p className="font-mono text-muted text-sm">{texts.error.request(requestId)}</p>}
			</EmptyState>
		</div>
	);
}
