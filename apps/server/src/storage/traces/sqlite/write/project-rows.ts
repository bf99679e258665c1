import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type AccessOfNew, accessOfNew, FIND_DEFAULT_ACCESS, FIND_RULES } from "#storage/projects/access-of-new.ts";
import {
	assertDecidedBy,
	FIND_RIGHTS_VERSION,
	NOTE_RIGHTS_CHANGE,
	RightsChanged,
	toRightsVersion,
} from "#storage/projects/rights-version.ts";
import type { Access } from "#storage/schema.ts";
import { findRow, getRow, listRows } from "#storage/sqlite/rows.ts";
import type { ProjectsOfWrite } from "#storage/traces/span-batch.ts";

/** Row numbers of projects by name, on one connection; makes missing projects. */
export class ProjectRows {
	readonly #db: DatabaseSync;
	readonly #find: StatementSync;
	readonly #findVersion: StatementSync;

	constructor(db: DatabaseSync) {
		this.#db = db;
		this.#find = db.prepare("select id from projects where name = ?");
		this.#findVersion = db.prepare(FIND_RIGHTS_VERSION);
	}

	/** To be called before `of`. @throws RightsChanged */
	assertDecidedBy({ decidedBy }: ProjectsOfWrite): void {
		if (decidedBy.length > 0) assertDecidedBy(decidedBy, toRightsVersion(getRow(this.#findVersion)));
	}

	/** @throws RightsChanged when it does not exist, and must not be made */
	of(name: string, projects: ProjectsOfWrite): number {
		return findRow<{ id: number }>(this.#find, name)?.id ?? this.#make(name, projects);
	}

	/** As `insertProjects`. */
	#make(name: string, { makerOf, pinnedAccess, onMade }: ProjectsOfWrite): number {
		const maker = makerOf(name);
		if (maker === undefined) throw new RightsChanged();
		onMade?.();
		const policy = this.#readPolicy(pinnedAccess);
		const access = accessOfNew(name, policy);
		const now = Date.now() * 1_000;
		const insert = this.#db.prepare("insert into projects (name, access, created_at, updated_at) values (?, ?, ?, ?)");
		const id = Number(insert.run(name, access, now, now).lastInsertRowid);
		if (maker !== null)
			this.#db
				.prepare(
					`insert into grants (project_id, user_id, role, created_at, created_by)
					select ?, id, 'manager', ?, id from users where id = ?`,
				)
				.run(id, now, maker);
		if (maker !== null || access === "restricted" || policy.rules.length > 0) this.#db.exec(NOTE_RIGHTS_CHANGE);
		return id;
	}

	#readPolicy(pinned: Access | undefined): AccessOfNew {
		const stored = findRow<{ default_project_access: Access | null }>(this.#db.prepare(FIND_DEFAULT_ACCESS));
		return {
			byDefault: pinned ?? stored?.default_project_access ?? "open",
			rules: listRows(this.#db.prepare(FIND_RULES)),
		};
	}
}
