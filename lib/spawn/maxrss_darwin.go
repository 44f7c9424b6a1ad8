package spawn

const maxRSSUnit = 1 // ru_maxrss is in bytes
