"""Validates deployment files by their schemas. Arguments: a kind (kubernetes, compose) and a file. Prints what is wrong."""

import sys

kind, path = sys.argv[1:3]
with open(path, encoding="utf-8") as file:
    text = file.read()

if kind == "kubernetes":
    import kubernetes_validate
    import yaml

    for document in yaml.safe_load_all(text):
        try:
            kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
            print(f"{document.get('kind')}: {error}")
else:
    from compose_spec import PyCompose

    try:
        compose = PyCompose.from_yaml(text)
        compose.validate()
        compose.validate_secrets()
        compose.validate_volumes()
    except ValueError as error:
        print(error)
