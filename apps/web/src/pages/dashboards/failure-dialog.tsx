import type { ReactNode } from "react";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";

/** Says why something that was chosen in a menu did not work. */
export function FailureDialog({ error, onClose }: { error: Error; onClose: () => void }): ReactNode {
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.failed}>
			<div className="flex flex-col gap-3 p-4">
				<FormError error={error} />
				<Button className="self-end" onClick={onClose}>
					{texts.action.close}
				</Button>
			</div>
		</Dialog>
	);
}
