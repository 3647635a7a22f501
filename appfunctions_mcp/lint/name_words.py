"""Words of names, by what they tell. Knows no rule."""

from appfunctions_mcp.lazy_regex import regex

__all__ = [
    "FILLERS",
    "MOSTLY_THINGS",
    "SURELY_READ",
    "THINGS_AS_WELL",
    "VAGUE_NOUNS",
    "VAGUE_VERBS",
    "is_short_form",
    "words_in",
]

_LATIN = regex(r"[a-z]+\Z")
_VOWEL = regex(r"[aeiouy]")


def words_in(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())


SURELY_READ = words_in(
    "get list lists find search read fetch show view retrieve lookup query count describe inspect "
    "browse check"
)
VAGUE_VERBS = words_in(
    "do run execute process handle perform manage main call invoke use go make work try apply "
    "operate act"
)
VAGUE_NOUNS = words_in(
    "action task operation request thing things stuff it this data item items object objects "
    "value values input output something everything anything all tool function method helper"
)
# Verbs that behind another word are its noun: a code review, the return of a value.
MOSTLY_THINGS = words_in(
    "return report log order record review request call query copy draft rate transfer purchase "
    "output stream group cache index"
)
# Those whose form on "s" behind another word is the plural of a thing.
THINGS_AS_WELL = words_in(
    "list search view update change upload download import export backup commit link tag label "
    "star post reply invite vote charge refund book note branch index sample test check count plan "
    "watch track store fork draw answer issue process document"
)
FILLERS = words_in("tool tools function functions mcp helper util utils wrapper method")
_SHORT_FORMS = words_in("usr acct addr amt calc desc num proc req resp prev")
_ACRONYMS = words_in(
    "bpm btc cdn cfn cjs cli cms crm css csv cvs cwd cwl dbml dhcp dlp dmg dms dns drm dsl dst "
    "dvd ebs ecs eks esm fps ftp fts gcp gif gpg gpt gps gpx grpc gql hex hls hmm hql hrv http "
    "https html jpg jql jsx jwt kms kml kpi kql ldap llc llm lru lsp mcp mdx mfa mkv mls mmr mpg "
    "mp npc npm nft nlp nps nvm pdf pgp php pid pkg png pnpm ppt pptx prs psd psql pwm qr ram rdf "
    "rds rfc rgb rpc rpm rss rtf sbom sdk sftp sgml sgd shp sla slr smb sms smtp sns spf spl sps "
    "sql sqs ssd ssh ssl ssn sso ssr stl str svg svn tcl tcp tls tmdb tmp tsv tsx ttl tts txt udp "
    "uml url vcf vcs vlan vlm vm vms vnc vpc vpn vps vtt wkt wsdl xls xlsx xml xmp xpath xps xsd "
    "xslt yml zk"
)


def is_short_form(word: str) -> bool:
    """Whether a word is written without its vowels, or cut, and no well-known acronym.

    Args:
        word: In small letters.
    """
    if not _LATIN.match(word) or word in _ACRONYMS:
        return False
    return word in _SHORT_FORMS or (len(word) > 2 and not _VOWEL.search(word))
