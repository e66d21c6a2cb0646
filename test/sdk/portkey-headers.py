"""PyPI portkey-ai with further options: a chat call and an image call each. Arguments: base URL, key, a list of options as JSON."""

import json
import sys

from portkey_ai import Portkey

base_url, api_key, cases = sys.argv[1:4]


def send(n, options):
    def client():
        return Portkey(base_url=base_url, api_key=api_key, **options)

    text = f"case {n}"
    answer = client().chat.completions.create(model=f"m-{n}", messages=[{"role": "user", "content": text}])
    client().images.generate(model=f"m-{n}", prompt=text)
    return answer.get_headers()


def attempt(n, options):
    try:
        return send(n, options)
    except Exception as error:  # whatever it is, the test has to see it
        return repr(error)


print(json.dumps([attempt(n, options) for n, options in enumerate(json.loads(cases))]))
