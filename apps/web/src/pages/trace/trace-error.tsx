import { ApiError } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { notHere } from "../../lib/not-here.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";

export interface TraceErrorProps {
	readonly project: string;
	readonly error: Error;
	readonly onRetry: () => void;
	/** Absent on the trace's own page. */
	readonly onClose: (() => void) | undefined;
}

/** Shown in place of a trace that could not be loaded or does not exist. */
export function TraceError({ project, error, onRetry, onClose }: TraceErrorProps): ReactNode {
	if (!(error instanceof ApiError && error.status === 404)) return <ErrorState error={error} onRetry={onRetry} />;
	return (
		<div className="h-full bg-canvas" role="alert">
			<EmptyState
				{...notHere({ title: texts.notFound, text: texts.notFoundText(project) })}
				actions={
					<>
						<Button onClick={onRetry}>{texts.retry}</Button>
						{onClose ? (
							<Button onClick={onClose}>{texts.close}</Button>
						) : (
							<Link to="/p/$project/traces" params={{ project }} className={buttonClass()}>
								{texts.allTraces(project)}
							</Link>
						)}
					</>
				}
			/>
		</div>
	);
}
