import type { ReactNode } from "react";
import { limitsTexts } from "../texts/limits-en.ts";

/** A box for each permission that can be given. */
export function PermissionBoxes<Permission extends keyof typeof limitsTexts.permissions>({
	label,
	chosen,
	choices,
	problem,
	onChange,
}: {
	label: string;
	chosen: readonly Permission[];
	/** In the order in which they are shown and given back. */
	choices: readonly Permission[];
	problem: string | undefined;
	onChange: (chosen: Permission[]) => void;
}): ReactNode {
	return (
		<fieldset className="flex flex-col gap-1">
			<legend className="mb-1 text-muted text-sm">{label}</legend>
			{choices.map((permission) => (
				<label key={permission} className="flex items-start gap-2 pointer-coarse:min-h-11 pointer-coarse:items-center">
					<input
						type="checkbox"
						className="mt-1 pointer-coarse:mt-0"
						checked={chosen.includes(permission)}
						onChange={({ target }) =>
							onChange(choices.filter((each) => (each === permission ? target.checked : chosen.includes(each))))
						}
					/>
					{limitsTexts.permissions[permission]}
				</label>
			))}
			{problem && (
				<span role="alert" className="text-danger text-sm">
					{problem}
				</span>
			)}
		</fieldset>
	);
}
