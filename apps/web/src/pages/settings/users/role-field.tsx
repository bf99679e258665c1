import type { ReactNode } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Field } from "../../../ui/input.tsx";
import { Select } from "../../../ui/select.tsx";
import { type GivenRole, ROLES } from "./user-queries.ts";

/** The choice of a role, with a description of its rights. */
export function RoleField({ role, onChange }: { role: GivenRole; onChange: (role: GivenRole) => void }): ReactNode {
	return (
		<Field label={settingsTexts.users.role} hint={settingsTexts.roleText[role]}>
			<Select
				value={role}
				onChange={onChange}
				choices={ROLES.map((value) => ({ value, label: settingsTexts.role[value] }))}
			/>
		</Field>
	);
}
