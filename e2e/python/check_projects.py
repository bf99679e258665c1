"""Projects. Changing and deleting one takes an admin."""

from client_under_test import MAY_ADMINISTRATE, admin, client, fails, status_of, unique


def test_projects():
    name = unique("project")
    created = client.projects.create(name=name, description="one")
    assert created["name"] == name and created["description"] == "one"
    assert client.projects.get(project_name=name) == created
    assert client.projects.get(project_id=created["id"]) == created
    assert [project["name"] for project in client.projects.list(name_contains=name.upper())] == [name]
    if not MAY_ADMINISTRATE:
        assert status_of(lambda: client.projects.update(project_name=name, description="two")) == 403
        assert status_of(lambda: client.projects.delete(project_name=name)) == 403
    assert admin.projects.update(project_name=name, description="two")["description"] == "two"
    assert client.projects.get(project_name=name)["description"] == "two"
    admin.projects.delete(project_name=name)
    assert client.projects.list(name_contains=name) == []
    fails(lambda: client.projects.get(project_name=name), Exception)


def test_two_projects_of_one_name():
    client.projects.create(name=unique("once"))
    assert status_of(lambda: client.projects.create(name=unique("once"))) == 409


def test_list_of_projects_pages():
    for number in range(105):
        client.projects.create(name=unique(f"page-{number:03}"))
    listed = client.projects.list(name_contains=unique("page-"))
    assert len({project["id"] for project in listed}) == 105, len(listed)
