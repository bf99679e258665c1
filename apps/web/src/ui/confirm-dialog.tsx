import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormError } from "./form-error.tsx";

export interface ConfirmDialogProps {
	readonly title: string;
	/** What goes, what stays. */
	readonly children: ReactNode;
	/** Of the button that does it. */
	readonly action: string;
	readonly mutation: { readonly mutate: () => void; readonly isPending: boolean; readonly error: Error | null };
	readonly onClose: () => void;
}

/** Asks before something that cannot be undone; says so when it failed, and stays. */
export function ConfirmDialog({ title, children, action, mutation, onClose }: ConfirmDialogProps): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={title}>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				{children}
				<FormError error={mutation.error} />
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
					<Button look="danger" disabled={mutation.isPending} onClick={() => mutation.mutate()}>
						{action}
					</Button>
				</div>
			</div>
		</Dialog>
	);
}
