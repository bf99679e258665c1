import type { ReactNode, SyntheticEvent } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormError } from "./form-error.tsx";

/** A dialog that asks for something and does it. */
export function FormDialog({
	title,
	action,
	isPending,
	error,
	onSubmit,
	onClose,
	children,
}: {
	title: string;
	/** Of the button that does it. */
	action: string;
	isPending: boolean;
	/** What is wrong with no single field. */
	error: Error | null;
	onSubmit: (event: SyntheticEvent) => void;
	onClose: () => void;
	children: ReactNode;
}): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={title}>
			<form onSubmit={onSubmit} className="flex flex-col gap-3 overflow-auto p-4">
				{children}
				<FormError error={error} />
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
					<Button type="submit" look="primary" disabled={isPending}>
						{action}
					</Button>
				</div>
			</form>
		</Dialog>
	);
}
